import java.io.File;
import java.nio.file.Files;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.JSON;
import org.openapitools.client.api.ItemsApi;
import org.openapitools.client.api.OrdersApi;
import org.openapitools.client.api.PhotosApi;
import org.openapitools.client.api.VisitorsApi;
import org.openapitools.client.auth.ApiKeyAuth;
import org.openapitools.client.auth.HttpBearerAuth;
import org.openapitools.client.auth.OAuth;
import org.openapitools.client.model.*;

/** This program uses a client made by openapi-generator. It prints what the other clients print. */
public class Main {
  public static void main(String[] args) throws Exception {
    UUID rose = UUID.fromString("0190c0de-0000-4000-8000-000000000001");
    File file = new File(args[1]);
    byte[] photo = Files.readAllBytes(file.toPath());

    ApiClient client = new ApiClient();
    client.setBasePath(args[0]);
    ((ApiKeyAuth) client.getAuthentication("key")).setApiKey("correct-horse");
    client.setUsername("ann");
    client.setPassword("correct-horse");
    ((HttpBearerAuth) client.getAuthentication("token")).setBearerToken("correct-horse");
    ((OAuth) client.getAuthentication("oauth")).setAccessToken("correct-horse");
    ItemsApi items = new ItemsApi(client);
    PhotosApi photos = new PhotosApi(client);

    Item item = items.getItem(rose);
    System.out.println("item " + item.getName() + " " + item.getPrice() + " " + item.getColour() + " " + list(item.getTags()));

    PageItem page = items.listItems(1L, null, Set.of(Colour.YELLOW), null, null, null);
    System.out.println("listed " + page.getItems().size() + " of " + page.getTotal());

    System.out.print("exported " + Files.readString(items.exportItems(null, null).toPath()));

    // Gson leaves out members that are null, and the note must be there.
    ItemInput lily = new ItemInput().name("Lily").code("LI0001").price("3.00").note("white").size(new Size().height(45.5));
    Item created = items.createItem(lily);
    System.out.println(
        "created " + created.getName() + " " + created.getPrice() + " " + created.getSize().getHeight() + " " + created.getPack());

    try {
      items.createItem(lily.name(""));
    } catch (ApiException refused) {
      Problem problem = JSON.getGson().fromJson(refused.getResponseBody(), Problem.class);
      System.out.println("refused " + problem.getErrors().get(0).getPointer());
    }

    System.out.println("photo " + java.util.Arrays.equals(Files.readAllBytes(photos.getPhoto(rose).toPath()), photo));

    photos.putPhoto(created.getId(), file, null, null, null);
    System.out.println("stored " + java.util.Arrays.equals(Files.readAllBytes(photos.getPhoto(created.getId()).toPath()), photo));

    // This client sends a list in a form as JSON, which is not how OpenAPI writes it: there is none.
    Upload uploaded = photos.upload("Roses", file, null, null);
    System.out.println("uploaded " + uploaded.getTitle() + " " + (uploaded.getBytes() == photo.length) + " " + list(uploaded.getNames()));

    Line line = new Line().item(rose).count(2).with(List.of(new Line().item(rose).count(1)));
    Payment card = new Payment(new Card().kind(Card.KindEnum.CARD).number("4000000000000002"));
    OrderInput input = new OrderInput().lines(List.of(line)).payment(card).email("ann@example.com");
    Order order = new OrdersApi(client).placeOrder(input);
    System.out.println("ordered " + order.getCount() + " " + order.getStatus() + " " + order.getWhole());

    LogIn200Response session = new VisitorsApi(client).logIn("ann", "correct-horse", null);
    System.out.println("logged in " + (session.getExpires().getYear() > 2000));

    items.deleteItem(created.getId());
    try {
      items.getItem(created.getId());
    } catch (ApiException missing) {
      System.out.println("deleted " + missing.getCode());
    }
  }

  private static String list(Collection<String> texts) {
    return "[" + String.join(" ", texts) + "]";
  }
}
