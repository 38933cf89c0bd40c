// This program calls both versions of the depot with the types that openapi-typescript makes, and
// openapi-fetch.
import { readFileSync } from "node:fs";
import createClient from "openapi-fetch";
import type { paths as One } from "./one";
import type { paths as Two } from "./two";

const [first, second, path] = process.argv.slice(2);
const photo = readFileSync(path!);
const api = createClient<One>({ baseUrl: first! });
const reader = { Authorization: "Bearer reader" };
const writer = { Authorization: "Bearer writer" };

console.log("works", (await api.GET("/health", { parseAs: "text" })).data);

const denied = (await api.GET("/parts")).response;
console.log("denied", denied.status, denied.headers.get("WWW-Authenticate"));

const page = (await api.GET("/parts", { params: { query: { limit: 2 } }, headers: reader })).data!;
const rest = (await api.GET("/parts", { params: { query: { after: page.next! } }, headers: reader })).data!;
console.log("listed", page.parts.length, "and", rest.parts.length);

const created = (await api.POST("/parts", { body: { name: "Spring" }, headers: writer })).data!;
console.log("created", created.name, "by", created.by);
const refused = await api.POST("/parts", { body: { name: "" }, headers: writer });
console.log("refused", refused.error?.errors?.[0]?.pointer);
const forbidden = (await api.POST("/parts", { body: { name: "Spring" }, headers: reader })).response;
console.log("forbidden", forbidden.status, forbidden.headers.get("WWW-Authenticate"));

const id = { path: { id: created.id } };
const form = new FormData();
form.append("title", "Spring");
form.append("sheets", ""); // as a browser sends an empty field
form.append("drawing", new File([photo], "spring.png", { type: "image/png" }));
const stored = (await api.POST("/parts/{id}/drawing", { params: id, body: form as never, headers: writer })).data!;
console.log("stored", stored.title, stored.bytes === photo.length, "by", stored.by);

console.log("lacking", (await api.DELETE("/parts/{id}", { params: id, headers: writer })).response.status);
console.log("removed", (await api.DELETE("/parts/{id}", { params: id, headers: { "X-Key": "open-sesame" } })).response.status);
console.log("missing", (await api.GET("/parts/{id}", { params: id, headers: reader })).error?.title);

const company = (await createClient<Two>({ baseUrl: second! }).GET("/parts", { headers: reader })).data!;
console.log("company", company.tenant, company.page.parts.length);
