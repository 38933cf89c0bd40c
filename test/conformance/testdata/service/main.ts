// This program uses the types that openapi-typescript makes of the description of
// examples/with/service, with openapi-fetch. Its arguments are the address of a house and a token.
import createClient from "openapi-fetch";
import type { paths } from "./api";

const [baseUrl, token] = process.argv.slice(2);
const api = createClient<paths>({ baseUrl: baseUrl!, headers: { Authorization: `Bearer ${token}` } });

const rooms = (await api.GET("/api/v2/rooms")).data!;
console.log("rooms", rooms.map((room) => `${room.name} ${room.seats}`).join(", "));

const wish = { room: "attic", day: "2030-06-01", name: "Dan Poe", guests: 5 };
const booked = await api.POST("/api/v2/bookings", { body: wish });
const id = booked.data!.id;
const first = booked.response.headers.get("ETag")!;
console.log("booked", booked.response.status, booked.data!.version, first);

const again = await api.POST("/api/v2/bookings", { body: wish });
console.log("again", again.response.status, again.error?.title);

const refused = await api.POST("/api/v2/bookings", { body: { ...wish, day: "2020-01-01", guests: 0 } });
console.log("refused", refused.response.status, refused.error?.errors?.map((e) => `${e.pointer} ${e.detail}`).join(", "));

const change = async (tag: string, day: string) =>
  await api.PATCH("/api/v2/bookings/{id}", {
    params: { path: { id }, header: { "If-Match": tag } },
    body: { day },
    headers: { "Content-Type": "application/merge-patch+json" },
  });
const moved = await change(first, "2030-06-02");
console.log("moved", moved.response.status, moved.data!.day, moved.response.headers.get("ETag"));
const late = await change(first, "2030-06-03");
console.log("late", late.response.status, late.error?.title);

const list = (await api.GET("/api/v2/bookings", { params: { query: { from: "2030-06-01" } } })).data!;
console.log("listed", list.map((b) => `${b.day} ${b.name}`).join(", "));

const cancelled = await api.DELETE("/api/v2/bookings/{id}", { params: { path: { id }, header: { "If-Match": "*" } } });
const missing = await api.GET("/api/v2/bookings/{id}", { params: { path: { id } } });
console.log("cancelled", cancelled.response.status, missing.response.status);

const stranger = createClient<paths>({ baseUrl: baseUrl! });
console.log("stranger", (await stranger.GET("/api/v1/bookings")).response.status);
