// This program uses a client made by openapi-generator. It prints what the other clients print.
import { readFileSync } from "node:fs";
import { Colour, Configuration, ItemsApi, OrdersApi, PhotosApi, ResponseError, VisitorsApi } from "./api";

const rose = "0190c0de-0000-4000-8000-000000000001";
const [origin, path] = process.argv.slice(2);
const photo = readFileSync(path!);

const config = new Configuration({
  basePath: origin!,
  accessToken: (scheme) => (scheme === "oauth" ? "Bearer correct-horse" : "correct-horse"),
  apiKey: "correct-horse",
  username: "ann",
  password: "correct-horse",
});
const items = new ItemsApi(config);
const photos = new PhotosApi(config);

const same = async (b: Blob) => photo.equals(Buffer.from(await b.arrayBuffer()));
const statusOf = (e: unknown) => (e as ResponseError).response.status;

const item = await items.getItem({ id: rose });
console.log("item", item.name, item.price, item.colour, `[${[...item.tags!].join(" ")}]`);

const list = await items.listItems({ limit: 1, colour: new Set([Colour.Yellow]) });
console.log("listed", list.items.length, "of", list.total);

const exported = await items.exportItemsRaw({});
process.stdout.write("exported " + (await exported.raw.text()));

const lily = { name: "Lily", code: "LI0001", price: "3.00", note: null, size: { height: 45.5 } };
const created = await items.createItem({ itemInput: lily });
console.log("created", created.name, created.price, created.size?.height, created.pack);

try {
  await items.createItem({ itemInput: { ...lily, name: "" } });
} catch (e) {
  const problem = await (e as ResponseError).response.json();
  console.log("refused", problem.errors[0].pointer);
}

console.log("photo", await same(await photos.getPhoto({ id: rose })));

await photos.putPhoto({ id: created.id, body: new Blob([photo], { type: "image/png" }) });
console.log("stored", await same(await photos.getPhoto({ id: created.id })));

const file = new File([photo], "photo.png", { type: "image/png" });
const uploaded = await photos.upload({ title: "Roses", page: [1, 2], photo: file });
console.log("uploaded", uploaded.title, uploaded.bytes === photo.length, `[${uploaded.names.join(" ")}]`);

const order = await new OrdersApi(config).placeOrder({
  orderInput: {
    lines: [{ item: rose, count: 2, _with: [{ item: rose, count: 1 }] }],
    payment: { kind: "card", number: "4000000000000002" },
    email: "ann@example.com",
  },
});
console.log("ordered", order.count, order.status, order.whole);

const session = await new VisitorsApi(config).logIn({ name: "ann", password: "correct-horse" });
console.log("logged in", session.expires.getFullYear() > 2000);

await items.deleteItem({ id: created.id });
await items.getItem({ id: created.id }).catch((e) => console.log("deleted", statusOf(e)));
