// This program uses a client made by hey-api. It prints what the other clients print.
import { readFileSync } from "node:fs";
import { client } from "./api/client.gen";
import * as api from "./api/sdk.gen";

const rose = "0190c0de-0000-4000-8000-000000000001";
const [origin, path] = process.argv.slice(2);
const photo = readFileSync(path!);

client.setConfig({
  baseUrl: origin!,
  auth: (scheme) => (scheme.scheme === "basic" ? "ann:correct-horse" : "correct-horse"),
});

const load = async (id: string) => {
  const { data } = await api.getPhoto({ path: { id } });
  return Buffer.from(await (data as Blob).arrayBuffer()).equals(photo);
};

const item = (await api.getItem({ path: { id: rose } })).data!;
console.log("item", item.name, item.price, item.colour, `[${item.tags?.join(" ")}]`);

const list = (await api.listItems({ query: { limit: 1, colour: ["yellow"] } })).data!;
console.log("listed", list.items.length, "of", list.total);

process.stdout.write("exported " + (await api.exportItems({ parseAs: "text" })).data);

const lily = { name: "Lily", code: "LI0001", price: "3.00", note: null, size: { height: 45.5 } };
const created = (await api.createItem({ body: lily })).data!;
console.log("created", created.name, created.price, created.size?.height, created.pack);

const refused = await api.createItem({ body: { ...lily, name: "" } });
console.log("refused", refused.error?.errors?.[0]?.pointer);

console.log("photo", await load(rose));

await api.putPhoto({ path: { id: created.id }, body: new Blob([photo], { type: "image/png" }), headers: { "Content-Type": "image/png" } });
console.log("stored", await load(created.id));

const file = new File([photo], "photo.png", { type: "image/png" });
const uploaded = (await api.upload({ body: { title: "Roses", page: [1, 2], photo: file } })).data!;
console.log("uploaded", uploaded.title, uploaded.bytes === photo.length, `[${uploaded.names.join(" ")}]`);

const order = (
  await api.placeOrder({
    body: {
      lines: [{ item: rose, count: 2, with: [{ item: rose, count: 1 }] }],
      payment: { kind: "card", number: "4000000000000002" },
      email: "ann@example.com",
    },
  })
).data!;
console.log("ordered", Number(order.count), order.status, order.whole);

const session = (await api.logIn({ body: { name: "ann", password: "correct-horse" } })).data!;
console.log("logged in", new Date(session.expires).getFullYear() > 2000);

await api.deleteItem({ path: { id: created.id } });
console.log("deleted", (await api.getItem({ path: { id: created.id } })).response?.status);
