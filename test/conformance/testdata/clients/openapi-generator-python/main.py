"""This program uses a client made by openapi-generator. It prints what the other clients print."""

import sys
from uuid import UUID

import nursery

ROSE = UUID("0190c0de-0000-4000-8000-000000000001")
origin, path = sys.argv[1:]
with open(path, "rb") as file:
    photo = file.read()

config = nursery.Configuration(host=origin, access_token="correct-horse", username="ann", password="correct-horse")
config.api_key["key"] = "correct-horse"
client = nursery.ApiClient(config)
items, photos = nursery.ItemsApi(client), nursery.PhotosApi(client)

item = items.get_item(ROSE)
print("item", item.name, item.price, item.colour.value, "[" + " ".join(item.tags) + "]")

page = items.list_items(limit=1, colour=[nursery.Colour.YELLOW])
print("listed", len(page.items), "of", page.total)

print("exported", items.export_items().decode(), end="")

lily = nursery.ItemInput(name="Lily", code="LI0001", price="3.00", note=None, size=nursery.Size(height=45.5))
created = items.create_item(lily)
print("created", created.name, created.price, created.size.height, created.pack)

try:
    items.create_item(nursery.ItemInput.model_construct(name="", code="LI0001", price="3.00", note=None))
except nursery.ApiException as refused:
    print("refused", refused.data.errors[0].pointer)

print("photo", str(bytes(photos.get_photo(ROSE)) == photo).lower())

photos.put_photo(created.id, photo, _content_type="image/png")
print("stored", str(bytes(photos.get_photo(created.id)) == photo).lower())

uploaded = photos.upload(title="Roses", page=[1, 2], photo=("photo.png", photo))
print("uploaded", uploaded.title, str(uploaded.bytes == len(photo)).lower(), "[" + " ".join(uploaded.names) + "]")

line = nursery.Line(item=ROSE, count=2, var_with=[nursery.Line(item=ROSE, count=1)])
card = nursery.Payment(nursery.Card(kind="card", number="4000000000000002"))
order = nursery.OrdersApi(client).place_order(nursery.OrderInput(lines=[line], payment=card, email="ann@example.com"))
print("ordered", order.count, order.status, str(order.whole).lower())

session = nursery.VisitorsApi(client).log_in("ann", "correct-horse")
print("logged in", str(session.expires.year > 2000).lower())

items.delete_item(created.id)
try:
    items.get_item(created.id)
except nursery.ApiException as missing:
    print("deleted", missing.status)
