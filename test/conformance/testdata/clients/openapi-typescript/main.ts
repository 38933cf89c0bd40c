// This program uses the types that openapi-typescript makes, with openapi-fetch. It prints what the
// other clients print.
import { readFileSync } from "node:fs";
import createClient from "openapi-fetch";
import type { paths } from "./api";

const rose = "0190c0de-0000-4000-8000-000000000001";
const [origin, path] = process.argv.slice(2);
const photo = readFileSync(path!);

const api = createClient<paths>({
  baseUrl: origin!,
  headers: { Authorization: "Bearer correct-horse", "X-Key": "correct-horse" },
  querySerializer: { array: { style: "form", explode: true } },
});

const load = async (id: string) => {
  const { data } = await api.GET("/items/{id}/photo", { params: { path: { id } }, parseAs: "arrayBuffer" });
  return Buffer.from(data!).equals(photo);
};

const item = (await api.GET("/items/{id}", { params: { path: { id: rose } } })).data!;
console.log("item", item.name, item.price, item.colour, `[${item.tags?.join(" ")}]`);

const list = (await api.GET("/items", { params: { query: { limit: 1, colour: ["yellow"] } } })).data!;
console.log("listed", list.items.length, "of", list.total);

const basic = "Basic " + Buffer.from("ann:correct-horse").toString("base64");
const rows = await api.GET("/items.csv", { headers: { Authorization: basic }, parseAs: "text" });
process.stdout.write("exported " + rows.data);

const lily = { name: "Lily", code: "LI0001", price: "3.00", pack: 6, light: "any" as const, note: null, size: { height: 45.5 } };
const created = (await api.POST("/items", { body: lily })).data!;
console.log("created", created.name, created.price, created.size?.height, created.pack);

const refused = await api.POST("/items", { body: { ...lily, name: "" } });
console.log("refused", refused.error?.errors?.[0]?.pointer);

console.log("photo", await load(rose));

await api.PUT("/items/{id}/photo", {
  params: { path: { id: created.id } },
  body: photo as unknown as string, // openapi-typescript has no type for bytes
  bodySerializer: (body) => body as unknown as BodyInit,
  headers: { "Content-Type": "image/png" },
});
console.log("stored", await load(created.id));

const form = new FormData();
form.append("title", "Roses");
form.append("page", "1");
form.append("page", "2");
form.append("photo", new File([photo], "photo.png", { type: "image/png" }));
const uploaded = await api.POST("/uploads", { body: form as never });
console.log("uploaded", uploaded.data!.title, uploaded.data!.bytes === photo.length, `[${uploaded.data!.names.join(" ")}]`);

const order = await api.POST("/orders", {
  body: {
    lines: [{ item: rose, count: 2, with: [{ item: rose, count: 1 }] }],
    payment: { kind: "card", number: "4000000000000002" },
    email: "ann@example.com",
  },
});
console.log("ordered", order.data!.count, order.data!.status, order.data!.whole);

const session = await api.POST("/sessions", {
  body: { name: "ann", password: "correct-horse" },
  bodySerializer: (body) => new URLSearchParams({ name: body.name, password: body.password }),
  headers: { "Content-Type": "application/x-www-form-urlencoded" },
});
console.log("logged in", new Date(session.data!.expires).getFullYear() > 2000);

await api.DELETE("/items/{id}", { params: { path: { id: created.id } } });
console.log("deleted", (await api.GET("/items/{id}", { params: { path: { id: created.id } } })).response.status);
