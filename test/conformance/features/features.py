"""The APIs of the table in FastAPI. Each is a small app below its key; main.go sends the requests."""

import asyncio
import html
import socket
import tempfile
from collections.abc import AsyncIterable
from datetime import date, datetime, timedelta
from enum import Enum
from ipaddress import IPv4Address
from typing import Annotated, Literal, Optional, Union
from uuid import UUID

import uvicorn
import yaml
from fastapi import (APIRouter, BackgroundTasks, Body, Cookie, Depends, FastAPI, Form, Header, HTTPException, Path, Query, Request, Response,
                     Security, UploadFile)
from fastapi.exception_handlers import request_validation_exception_handler
from fastapi.exceptions import RequestValidationError
from fastapi.middleware.cors import CORSMiddleware
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, StreamingResponse
from fastapi.routing import APIRoute
from fastapi.security import APIKeyHeader, HTTPBasic, HTTPBasicCredentials, OAuth2, SecurityScopes
from fastapi.sse import EventSourceResponse, ServerSentEvent
from fastapi.testclient import TestClient
from pydantic import (AfterValidator, AnyUrl, BaseModel, BeforeValidator, ConfigDict, EmailStr, Field, Json, ValidationError,
                      field_validator, model_validator)
from starlette.exceptions import HTTPException as StarletteHTTPException

apps = FastAPI(openapi_url=None)


def feature(key, **options):
    def define(f):
        app = FastAPI(**{"title": "Trees", "version": "1.0", **options})
        f(app)
        apps.mount("/" + key, app)
    return define


@feature("places")
def _(app):
    @app.get("/trees/{id}")
    def read(id: int, limit: int = 0, x_trace: Annotated[str, Header()] = "", user: Annotated[str, Cookie()] = ""):
        return f"{id} {limit} {x_trace} {user}"


@feature("defaults")
def _(app):
    @app.get("/trees")
    def list(kind: Annotated[str, Query(pattern="^[a-z]+$")], limit: Annotated[int, Query(ge=1, le=100)] = 10):
        return f"{limit} {kind}"


@feature("lists")
def _(app):
    def unique(tags):
        if len(set(tags)) < len(tags):
            raise ValueError("not unique")
        return tags

    @app.get("/trees")
    def list_trees(tag: Annotated[list[str], Query(max_length=3), AfterValidator(unique)] = [],
                   id: Annotated[list[int], Query()] = []):
        return f"[{' '.join(tag)}] [{' '.join(map(str, id))}]"


def split(value):
    return value.split(",") if isinstance(value, str) else [part for v in value for part in v.split(",")]


@feature("commas")
def _(app):
    @app.get("/trees")
    def list_trees(tag: Annotated[list[str], Query(), BeforeValidator(split)] = [],
                   id: Annotated[list[int], Query(), BeforeValidator(split)] = []):
        return f"[{' '.join(tag)}] [{' '.join(map(str, id))}]"


class Paging(BaseModel):
    limit: int = Field(10, ge=1, le=100)
    offset: int = 0


class Filter(Paging):
    kind: str = ""


@feature("objects")
def _(app):
    @app.get("/trees")
    def list(filter: Annotated[Filter, Query()]):
        return f"{filter.limit} {filter.offset}{filter.kind}"


class Size(BaseModel):
    min: int = Field(ge=1)
    max: int


@feature("deep")
def _(app):
    @app.get("/trees")
    def list(size: Annotated[Size, Query()]):
        return f"{size.min} {size.max}"


@feature("unknown_parameters")
def _(app):
    class Strict(Paging):
        model_config = ConfigDict(extra="forbid")

    @app.get("/trees")
    def list(paging: Annotated[Strict, Query()]):
        return f"{paging.limit}"


class Colour(str, Enum):
    red = "red"
    white = "white"


@feature("types")
def _(app):
    @app.get("/trees/{id}")
    def read(id: UUID, since: Optional[datetime] = None, origin: Annotated[Optional[IPv4Address], Query(alias="from")] = None,
             link: Optional[AnyUrl] = None, colour: Optional[Colour] = None):
        return f"{id} {since and since.year} {origin} {link and link.host} {colour and colour.value}"


@feature("sent")
def _(app):
    @app.get("/trees")
    def list(below: Optional[int] = None, name: Optional[str] = None):
        return f"{below is not None} {name is not None}".lower()


@feature("own_types")
def _(app):
    def cents(value):
        whole, _, part = value.partition(".")
        if len(part) != 2:
            raise ValueError("must be an amount such as 12.50")
        return int(whole + part)

    @app.get("/trees")
    def list(below: Annotated[int, BeforeValidator(cents, json_schema_input_type=str)]):
        return f"{below}"



def put(key, model):
    """A feature whose only operation returns its body."""
    @feature(key)
    def _(app):
        @app.put("/tree", response_model_exclude_unset=True)
        def put_tree(tree: model) -> model:
            return tree


class Numbers(BaseModel):
    height: float = Field(ge=0, le=100, multiple_of=0.5)
    share: float = Field(gt=0, lt=1)
    age: Annotated[int, Field(ge=0, le=255)]


class Texts(BaseModel):
    name: str = Field(min_length=1, max_length=4, description="What it is called")
    code: str = Field(pattern="^[A-Z]{2}[0-9]+$")


class Formats(BaseModel):
    email: Optional[EmailStr] = None
    id: Optional[UUID] = None
    at: Annotated[Optional[datetime], Field(strict=False)] = None
    day: Optional[date] = None
    origin: Optional[IPv4Address] = Field(None, alias="from")
    link: Optional[AnyUrl] = None


class Enums(BaseModel):
    light: Literal["sun", "shade"]
    size: Literal[1, 2, 3]
    months: list[Literal["may", "june"]]


def unique(values):
    if len(set(values)) < len(values):
        raise ValueError("not unique")
    return values


class Lists(BaseModel):
    tags: Annotated[list[str], AfterValidator(unique), Field(min_length=1, max_length=3, json_schema_extra={"uniqueItems": True})]


class Maps(BaseModel):
    labels: dict[str, int] = Field(max_length=2)


class Nullable(BaseModel):
    note: Optional[str]
    count: Optional[int] = None


class PlainOptional(BaseModel):
    note: str = ""
    count: int = 0


class ThreeStates(BaseModel):
    note: Optional[Annotated[str, Field(max_length=3)]] = None


class Dependent(BaseModel):
    model_config = ConfigDict(json_schema_extra={"dependentRequired": {"card": ["expiry"]}})
    card: str = ""
    expiry: str = ""

    @model_validator(mode="after")
    def check(self):
        if self.card and not self.expiry:
            raise ValueError("expiry is required")
        return self


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str


class Open(BaseModel):
    name: str


class Recursive(BaseModel):
    name: str = Field(min_length=1)
    branches: list["Recursive"] = []


class Named(BaseModel):
    name: str = Field(min_length=1)


class Embedded(Named):
    age: int


class BodyDefaults(BaseModel):
    light: str = "any"
    pack: int = 6


class Large(BaseModel):
    id: int = Field(ge=-2**63, lt=2**63)
    amount: int = Field(ge=0, lt=2**64)


class Nights(BaseModel):
    from_: int = Field(alias="from")
    until: int

    @field_validator("until")
    @classmethod
    def check(cls, until, info):
        if until <= info.data["from_"]:
            raise ValueError("must be after from")
        return until


class Stay(BaseModel):
    name: str = Field(min_length=1)
    nights: Nights


class Priced(BaseModel):
    price: str = Field(pattern=r"^[0-9]+\.[0-9]{2}$")


class Card(BaseModel):
    kind: Literal["card"]
    number: str


class Invoice(BaseModel):
    kind: Literal["invoice"]
    days: int


for key, model in {
    "numbers": Numbers, "texts": Texts, "formats": Formats, "enums": Enums, "body_lists": Lists, "maps": Maps, "nullable": Nullable,
    "optional": PlainOptional, "dependent": Dependent, "strict": Strict, "open": Open, "duplicates": Open, "recursive": Recursive,
    "embedded": Embedded, "large": Large, "own_checks": Stay, "own_types_body": Priced,
    "unions": Annotated[Union[Card, Invoice], Field(discriminator="kind")],
}.items():
    put(key, model)


@feature("body_defaults")
def _(app):
    @app.put("/tree")
    def put_tree(tree: BodyDefaults) -> BodyDefaults:
        return tree


@feature("three_states")
def _(app):
    @app.put("/tree")
    def put_tree(tree: ThreeStates):
        sent = "note" in tree.model_fields_set
        return f"{str(sent).lower()} {str(sent and tree.note is None).lower()} {tree.note}"


@feature("merge_patch")
def _(app):
    class Garden(BaseModel):
        name: str = Field(min_length=1)
        note: Optional[str] = None

    class Change(BaseModel):
        name: Optional[Annotated[str, Field(min_length=1)]] = None
        note: Optional[str] = None

    garden = Garden(name="Oak", note="old")

    @app.get("/tree")
    def read() -> Garden:
        return garden

    @app.patch("/tree")
    def change(change: Annotated[Change, Body(media_type="application/merge-patch+json")]) -> Garden:
        nonlocal garden
        garden = garden.model_copy(update=change.model_dump(exclude_unset=True))
        return garden


@feature("one_way")
def _(app):
    class In(BaseModel):
        name: str
        password: str = ""

    class Out(BaseModel):
        id: int
        name: str

    @app.put("/tree")
    def put_tree(tree: In) -> Out:
        return Out(id=7, name=tree.name + "0" + tree.password)


@feature("raw")
def _(app):
    @app.put("/photo", openapi_extra={"requestBody": {"content": {"image/png": {}, "image/gif": {}}, "required": True}})
    async def put_photo(request: Request):
        if request.headers.get("content-type") not in ("image/png", "image/gif"):
            raise HTTPException(415, "Send a PNG or a GIF")
        content = await request.body()
        if not content:
            raise HTTPException(422, "Send a photo")
        return str(len(content))


put("media", Open)


@feature("suffix")
def _(app):
    @app.put("/tree")
    def put_tree(tree: Annotated[Open, Body(media_type="application/tree+json")]):
        return tree.name


@feature("optional_body")
def _(app):
    @app.put("/tree")
    def put_tree(tree: Optional[Open] = None):
        return str(tree is not None).lower()


@feature("forms")
def _(app):
    @app.post("/login")
    def login(name: Annotated[str, Form(min_length=2)], page: Annotated[list[int], Form()] = []):
        return f"{name}[{' '.join(map(str, page))}]"


@feature("uploads")
def _(app):
    @app.post("/photos")
    def upload(title: Annotated[str, Form(min_length=2)], photo: UploadFile, more: list[UploadFile] = []):
        if photo.content_type != "image/png":
            raise HTTPException(422, "Send a PNG")
        if photo.size > 4096:
            raise HTTPException(413, "The photo is too large")
        return f"{title} {photo.filename} {photo.size} {len(more)}"


@feature("json_parts")
def _(app):
    @app.post("/photos")
    def upload(tree: Annotated[Json[Open], Form()], photo: UploadFile):
        return f"{tree.name} {photo.size}"


@feature("limit", max_body_size=64)
def _(app):
    @app.put("/tree")
    def put_tree(tree: Open) -> Open:
        return tree


@feature("stream_in")
def _(app):
    seen = ""

    @app.get("/seen")
    def read_seen():
        return seen

    @app.put("/log")
    async def put_log(request: Request):
        nonlocal seen
        size = 0
        async for chunk in request.stream():
            if not size:
                seen = chunk[:3].decode()
            size += len(chunk)
        return str(size)


@feature("lines_in")
def _(app):
    @app.put("/log")
    async def put_log(request: Request):
        names = []
        try:
            for line in (await request.body()).splitlines():
                names.append(Open.model_validate_json(line).name)
        except ValidationError as e:
            raise HTTPException(422, e.errors(include_context=False))
        return " ".join(names)


@feature("json_patch")
def _(app):
    pass  # neither FastAPI nor pydantic or Starlette have it


@feature("yaml")
def _(app):
    @app.put("/tree")
    async def put_tree(request: Request):
        try:
            return Open.model_validate(yaml.safe_load(await request.body())).name
        except (yaml.YAMLError, ValidationError) as e:
            raise HTTPException(422, str(e))


@feature("statuses")
def _(app):
    @app.get("/tree")
    def read() -> Open:
        return Open(name="oak")

    @app.delete("/tree", status_code=204)
    def delete():
        pass

    @app.post("/tree", status_code=201)
    def add(tree: Open, response: Response) -> Open:
        response.headers["Location"] = "/tree"
        return tree

    @app.put("/tree", responses={201: {"description": "Created"}})
    def put_tree(tree: Open, response: Response) -> Open:
        response.status_code = 201
        return tree


@feature("headers")
def _(app):
    @app.get("/trees", responses={200: {"headers": {"X-Total": {"schema": {"type": "integer"}}}}})
    def list_trees(response: Response) -> list[str]:
        response.headers["X-Total"] = "7"
        response.headers["Last-Modified"] = "Sat, 21 Nov 2026 10:00:00 GMT"
        response.set_cookie("session", "abc", httponly=True)
        return []


@feature("nil_slices")
def _(app):
    class Listed(BaseModel):
        trees: list[Open] = []

    @app.get("/trees")
    def list_trees() -> Listed:
        return Listed()


PNG = b"\x89PNG\r\n\x1a\n1234"


@feature("other_bodies")
def _(app):
    class Photo(Response):
        media_type = "image/png"

    @app.get("/text", response_class=PlainTextResponse)
    def text():
        return "oak"

    @app.get("/page", response_class=HTMLResponse)
    def page():
        return "<p>oak"

    @app.get("/photo", response_class=Photo)
    def photo():
        return Photo(PNG)


@feature("accept")
def _(app):
    @app.get("/trees", responses={200: {"content": {"text/csv": {}}}})
    def list_trees(accept: Annotated[str, Header()] = ""):
        if accept.startswith("text/csv"):
            return Response("oak\n", media_type="text/csv")
        return ["oak"]


async def wait(hold):
    if hold:
        await asyncio.sleep(20)


@feature("stream_out")
def _(app):
    @app.get("/log", response_class=StreamingResponse)
    async def log(hold: bool = False):
        async def lines():
            yield "one\n"
            await wait(hold)
            yield "two\n"
        return StreamingResponse(lines(), media_type="text/plain")


@feature("events")
def _(app):
    @app.get("/events", response_class=EventSourceResponse)
    async def watch(hold: bool = False, last_event_id: Annotated[str, Header()] = "") -> AsyncIterable[ServerSentEvent]:
        if not last_event_id:
            yield ServerSentEvent(data=Open(name="oak"), event="grown", id="1")
        await wait(hold)
        yield ServerSentEvent(data=Open(name="ash"), event="grown", id="2")


@feature("retry")
def _(app):
    @app.get("/events", response_class=EventSourceResponse)
    async def watch() -> AsyncIterable[ServerSentEvent]:
        yield ServerSentEvent(data=Open(name="oak"), retry=1500)


@feature("lines_out")
def _(app):
    @app.get("/lines")
    async def lines(hold: bool = False) -> AsyncIterable[Open]:
        yield Open(name="oak")
        await wait(hold)
        yield Open(name="ash")


@feature("conditions")
def _(app):
    pass  # neither FastAPI nor Starlette have it for operations


@feature("ranges")
def _(app):
    film = tempfile.NamedTemporaryFile(suffix=".mp4")
    film.write(b"0123456789")
    film.flush()
    app.film = film

    @app.get("/film")
    def watch():
        return FileResponse(film.name)


@feature("redirects")
def _(app):
    @app.get("/old", status_code=307, response_class=RedirectResponse)
    def old():
        return "/new"


@feature("head")
def _(app):
    @app.get("/tree")
    def read() -> Open:
        return Open(name="oak")


@feature("next_page")
def _(app):
    @app.get("/trees", responses={200: {"headers": {"Link": {"schema": {"type": "string"}}}}})
    def list_trees(request: Request, response: Response, limit: int = 10, offset: int = 0) -> list[str]:
        response.headers["Link"] = f'<{request.url.include_query_params(offset=offset + limit)}>; rel="next"'
        return []


@feature("filtered")
def _(app):
    class User(BaseModel):
        name: str

    class Stored(User):
        hash: str

    @app.get("/user")
    def read() -> User:
        return Stored(name="ann", hash="secret")


class Timed(BaseModel):
    at: datetime
    wait: timedelta


put("durations", Timed)


class Place(BaseModel):
    zip: str = Field(pattern="^[0-9]+$")


class Order(BaseModel):
    name: str = Field(min_length=2)
    sort: str = Field(min_length=2)
    in_: Place = Field(alias="in")


def orders(key):
    @feature(key)
    def _(app):
        @app.put("/tree", status_code=204)
        def put_tree(order: Order, limit: int = 0):
            pass


for key in "all_errors", "error_places", "error_codes":
    orders(key)


def failing(key):
    @feature(key)
    def _(app):
        class Problem(BaseModel):
            detail: str
            status: int

        @app.get("/tree", responses={404: {"model": Problem, "description": "No such tree"}})
        def read() -> Open:
            raise HTTPException(404, "no oak")

        @app.get("/busy")
        def busy() -> Open:
            raise HTTPException(429, "Too many trees", headers={"Retry-After": "7"})

        @app.get("/broken")
        def broken() -> Open:
            raise ValueError("SELECT secret")

        @app.get("/panic")
        def panic() -> Open:
            raise RuntimeError("secret")


failing("problems")
failing("leaks")


@feature("own_errors")
def _(app):
    class Failure(BaseModel):
        message: str
        fields: list[str] = []

    app.router.responses = {404: {"model": Failure}, 422: {"model": Failure}}

    @app.exception_handler(RequestValidationError)
    def invalid(request, e):
        return JSONResponse({"message": "Invalid", "fields": [f"{x['loc']} {x['msg']}" for x in e.errors()]}, 422)

    @app.exception_handler(StarletteHTTPException)
    def failed(request, e):
        return JSONResponse({"message": e.detail}, e.status_code)

    @app.exception_handler(Exception)
    def broken(request, e):
        return JSONResponse({"message": "Internal error"}, 500)

    @app.put("/tree")
    def put_tree(tree: Texts) -> Texts:
        return tree

    @app.get("/none")
    def none() -> Open:
        raise HTTPException(404, "No such tree")

    @app.get("/broken")
    def fail() -> Open:
        raise ValueError("secret")


@feature("seen_errors")
def _(app):
    app.count = 0

    @app.exception_handler(RequestValidationError)
    async def invalid(request, e):
        app.count += 1
        return await request_validation_exception_handler(request, e)

    @app.put("/tree")
    def put_tree(tree: Texts) -> Texts:
        return tree

    @app.get("/count")
    def count():
        return str(app.count)


put("not_found", Texts)

USERS = ("ann", "ben")
oauth = OAuth2(flows={"clientCredentials": {"tokenUrl": "https://example.com/token", "scopes": {"write": "Write"}}}, scheme_name="token",
               auto_error=False)
http_basic = HTTPBasic(scheme_name="basic", auto_error=False)
api_key = APIKeyHeader(name="X-Key", scheme_name="key", auto_error=False)


def refuse(challenge):
    raise HTTPException(401, "Unauthorized", headers={"WWW-Authenticate": challenge})


def token_user(scopes: SecurityScopes, token: Annotated[Optional[str], Depends(oauth)]):
    user = (token or "").removeprefix("Bearer ")
    if user not in USERS:
        refuse("Bearer")
    if user == "ben" and scopes.scopes:
        raise HTTPException(403, "Forbidden")
    return user


def basic_user(sent: Annotated[Optional[HTTPBasicCredentials], Depends(http_basic)]):
    if not sent or sent.username not in USERS or sent.password != "secret":
        refuse("Basic")
    return sent.username


def key_user(key: Annotated[Optional[str], Depends(api_key)]):
    if key not in USERS:
        refuse("ApiKey")
    return key


def either(key: Annotated[Optional[str], Depends(api_key)], sent: Annotated[Optional[HTTPBasicCredentials], Depends(http_basic)]):
    return key_user(key) if key else basic_user(sent)


def secured(key, dependency):
    @feature(key)
    def _(app):
        @app.get("/me", responses={401: {"description": "Unauthorized"}})
        def me(user: Annotated[str, dependency]):
            return user


secured("bearer", Depends(token_user))
secured("scopes", Security(token_user, scopes=["write"]))
secured("basic", Depends(basic_user))
secured("keys", Depends(key_user))
secured("any_of", Depends(either))


@feature("order", dependencies=[Depends(key_user)])
def _(app):
    @app.put("/tree")
    def put_tree(tree: Texts) -> Texts:
        return tree


def tree():
    return {"name": "oak"}


@feature("groups")
def _(app):
    def header(response: Response):
        response.headers["X-Group"] = "garden"

    router = APIRouter(prefix="/garden", tags=["Garden"], dependencies=[Depends(key_user), Depends(header)])
    router.get("/tree", response_model=Open)(tree)
    app.include_router(router)
    app.get("/tree", response_model=Open)(tree)


@feature("versions")
def _(app):
    router = APIRouter()
    router.get("/tree", response_model=Open)(tree)
    app.include_router(router, prefix="/v1", deprecated=True)
    app.include_router(router, prefix="/v2")


@feature("several", openapi_tags=[])
def _(app):
    app.title = "Public"
    app.get("/tree", response_model=Open)(tree)
    admin = FastAPI(title="Admin")

    @admin.delete("/tree", status_code=204)
    def delete():
        pass

    app.get("/second.json", include_in_schema=False)(lambda: admin.openapi())
    app.mount("/admin", admin)


@feature("middleware")
def _(app):
    @app.middleware("http")
    async def all(request, call_next):
        response = await call_next(request)
        response.headers["X-All"] = "1"
        return response

    def one(response: Response):
        response.headers["X-One"] = "1"

    app.get("/tree", dependencies=[Depends(one)])(tree)
    app.get("/other")(tree)


@feature("values")
def _(app):
    class Route(APIRoute):
        """Sees the request and the response, as text."""

        def get_route_handler(self):
            handler = super().get_route_handler()

            async def run(request):
                response = await handler(request)
                response.headers["X-Seen"] = response.body.decode()
                return response
            return run

    app.router.route_class = Route

    @app.put("/tree")
    def put_tree(tree: Open) -> Open:
        return tree


@feature("transactions")
def _(app):
    app.done = ""

    def transaction():
        try:
            yield
            app.done = "committed"
        except Exception:
            app.done = "rolled back"
            raise

    @app.post("/tree", status_code=204, dependencies=[Depends(transaction)])
    def add(fail: bool = False):
        if fail:
            raise HTTPException(500, "full")

    @app.get("/done")
    def done():
        return app.done


@feature("cors")
def _(app):
    app.add_middleware(CORSMiddleware, allow_origins=["https://shop.example"], allow_methods=["PUT"])

    @app.put("/tree")
    def put_tree(tree: Open) -> Open:
        return tree


@feature("mounted")
def _(app):
    shop = FastAPI(title="Trees")
    shop.get("/tree", response_model=Open)(tree)
    app.mount("/shop", shop)


@feature("timeout")
def _(app):
    app.gone = ""

    @app.get("/slow")
    async def slow(request: Request):
        while not await request.is_disconnected():
            await asyncio.sleep(0.05)
        app.gone = "gone"

    @app.get("/gone")
    def gone():
        return app.gone


@feature("background")
def _(app):
    app.done = ""

    def write():
        app.done = "written"

    @app.post("/tree", status_code=202)
    def add(tasks: BackgroundTasks):
        tasks.add_task(write)

    @app.get("/done")
    def done():
        return app.done


@feature("hidden")
def _(app):
    app.get("/tree")(tree)
    app.get("/hidden", include_in_schema=False)(tree)


@feature("pages")
def _(app):
    class SignUp(BaseModel):
        name: str = Field(min_length=2)
        age: int = Field(ge=1)

    @app.post("/sign-up", response_class=HTMLResponse)
    async def sign_up(request: Request):
        sent = dict(await request.form())
        try:
            SignUp.model_validate(sent)
        except ValidationError as e:
            errors = "; ".join(f"{x['loc'][0]} {x['msg']}" for x in e.errors())
            return HTMLResponse(f'<input value="{html.escape(sent["age"])}">{html.escape(errors)}', 422)
        return ""


@feature("methods")
def _(app):
    app.options("/tree")(tree)
    app.trace("/tree")(tree)


@feature("tests")
def _(app):
    @app.put("/tree")
    def put_tree(tree: Open) -> Open:
        return tree

    @app.get("/wrong", status_code=204)
    def wrong():
        raise HTTPException(404, "not described")

    @app.get("/try", response_class=PlainTextResponse, include_in_schema=False)
    def attempt():
        client, failures = TestClient(app), 0
        response = client.put("/tree", json={"name": "oak"})
        failures += response.status_code != 200 or response.json() != {"name": "oak"}
        good = failures
        try:
            client.get("/wrong")
        except Exception:
            failures += 1
        return f"failures: {good}, of a wrong response: {failures}"


def plain(key):
    @feature(key)
    def _(app):
        app.get("/tree", response_model=Open)(tree)


for key in "formats_of", "yaml_document", "viewer", "self_contained", "self_reference", "cbor":
    plain(key)


@feature("for_people", description="All *trees*", contact={"name": "Ann"}, license_info={"name": "MIT"},
         openapi_tags=[{"name": "Garden", "description": "What grows"}], openapi_external_docs={"url": "https://example.com/handbook"})
def _(app):
    app.get("/tree", summary="Read a tree", description="In *Markdown*", deprecated=True, tags=["Garden"],
            openapi_extra={"externalDocs": {"url": "https://example.com/trees"}})(tree)


@feature("query")
def _(app):
    app.openapi_version = "3.2.0"

    class Sought(BaseModel):
        names: list[str]

    class Found(BaseModel):
        name: str

    @app.api_route("/trees", methods=["QUERY"])
    def find(sought: Sought, response: Response, if_none_match: Annotated[str, Header()] = "") -> Found:
        if if_none_match == '"7"':
            return Response(status_code=304, headers={"ETag": '"7"'})
        response.headers["ETag"] = '"7"'
        return Found(name=sought.names[0])


@feature("latest", openapi_tags=[{"name": "trees"}, {"name": "oaks", "parent": "trees"}])
def _(app):
    app.openapi_version = "3.2.0"

    class Tree(BaseModel):
        name: str

    @app.get("/events", response_class=EventSourceResponse)
    async def watch() -> AsyncIterable[Tree]:
        yield Tree(name="oak")

    @app.get("/lines")
    async def list() -> AsyncIterable[Tree]:
        yield Tree(name="oak")


@feature("examples")
def _(app):
    class Exampled(BaseModel):
        name: str = Field(examples=["Oak"])

    @app.put("/tree", responses={200: {"content": {"application/json": {"example": {"name": "Elm"}}}}})
    def put_tree(tree: Annotated[Exampled, Body(examples=[{"name": "Ash"}])]) -> Exampled:
        return tree


@feature("webhooks")
def _(app):
    class Tell(BaseModel):
        tell: AnyUrl

    callbacks = APIRouter()

    @callbacks.post("{$request.body#/tell}")
    def sent(tree: Open):
        pass

    @app.webhooks.post("grown")
    def grown(tree: Open):
        pass

    @app.post("/orders", callbacks=callbacks.routes)
    def order(order: Tell) -> Tell:
        return order


@feature("links")
def _(app):
    app.get("/tree", operation_id="readTree", responses={200: {"links": {"self": {"operationId": "readTree"}}}})(tree)


@feature("by_hand")
def _(app):
    app.get("/tree", openapi_extra={"x-rate": 10})(tree)
    make = app.openapi

    def changed():
        document = make()
        document["info"]["version"] = "1.0-beta"
        document["x-audience"] = "public"
        return document
    app.openapi = changed


@feature("ids", servers=[{"url": "https://api.example.com"}], root_path_in_servers=False)
def _(app):
    app.get("/tree")(tree)
    app.get("/other", operation_id="mine")(tree)


@feature("tools")
def _(app):
    from fastapi_mcp import FastApiMCP

    class Tree(BaseModel):
        name: str

    @app.get("/trees/{id}", operation_id="readTree", tags=["tools"], summary="Read a tree")
    def read(id: Annotated[int, Path(ge=1)]) -> Tree:
        if id > 9:
            raise HTTPException(404, "No such tree")
        return Tree(name="oak")

    @app.get("/me", operation_id="whoAmI", tags=["tools"])
    def me(authorization: Annotated[str, Header()] = "") -> Tree:
        return Tree(name=authorization)

    @app.get("/all", operation_id="listTrees", tags=["tools"])
    def all() -> list[Tree]:
        return [Tree(name="oak")]

    app.delete("/trees", operation_id="cutTrees")(tree)
    FastApiMCP(app, include_tags=["tools"]).mount_http()


if __name__ == "__main__":
    import fastapi
    listener = socket.create_server(("127.0.0.1", 0))
    print(fastapi.__version__, f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
    uvicorn.Server(uvicorn.Config(apps, log_level="critical")).run(sockets=[listener])
