"""Forms, queries and per-request objects on a surface that no feature has."""

from collections.abc import AsyncIterator
from itertools import count
from typing import Annotated, Any

import httpx2
import pytest
from msgspec import Meta, Struct

from conftest import World
from trilha.core.errors import BusinessRule, Conflict, Forbidden, NotFound, invalid
from trilha.core.openapi import Description, describe
from trilha.core.types import Name
from trilha.core.web.admission import Admission
from trilha.core.web.answers import Answer, Html, Stream, json_answer
from trilha.core.web.callers import PUBLIC, Caller
from trilha.core.web.gateway import Gateway
from trilha.core.web.request import Request
from trilha.core.web.routes import Refusal, Routes
from trilha.core.web.surface import Surface

FORM = {"content-type": "application/x-www-form-urlencoded"}
NOTHING = Surface(name="nothing", prefixes=[""], features=[])


class Visit:
    """An object that is created for each request."""

    def __init__(self, number: int, path: str, caller: Caller) -> None:
        self.number = number
        self.path = path
        self.caller = caller


class Visits:
    makes = Visit

    def __init__(self) -> None:
        self._numbers = count(1)

    def make(self, request: Request, caller: Caller) -> Visit:
        return Visit(next(self._numbers), request.full_path, caller)


class NewShelf(Struct, frozen=True, forbid_unknown_fields=True):
    name: Name
    books: list[Annotated[int, Meta(ge=1)]] = []
    tags: list[str] | None = None


class Found(Struct, frozen=True):
    books: list[int]


class Filter(Struct, frozen=True):
    q: Annotated[str, Meta(min_length=2, description="Words.")] | None = None
    most: Annotated[int, Meta(description="How many.")] = 20


routes = Routes("Shelves", "Shelves of books.")


@routes.get("/shelves", access=PUBLIC)
async def list_shelves(query: Filter) -> Answer:
    return json_answer(200, [query.q, query.most])


@routes.get("/shelves/{name}/new", access=PUBLIC)
async def new_shelf(name: str, visit: Visit, query: Filter, refusal: Refusal | None = None) -> Answer:
    if refusal is None:
        return Html("a form")
    shown = [name, visit.path, refusal.failure.code, dict(refusal.values), refusal.failure.detail, query.most]
    return json_answer(422, shown)


_FAILURES = {
    "taken": Conflict("email_exists"),
    "against the rules": BusinessRule("user_not_active"),
    "wrong": invalid("name", "invalid_value"),
    "nowhere": NotFound("user_not_found"),
    "not yours": Forbidden("ip_not_allowed"),
}


@routes.post("/shelves/{name}/new", access=PUBLIC, refused=new_shelf)
async def add_shelf(name: str, form: NewShelf) -> Answer:
    if form.name in _FAILURES:
        raise _FAILURES[form.name]
    return json_answer(200, [form.name, form.books, form.tags])


@routes.get("/visits", access=PUBLIC)
async def show_visit(visit: Visit, again: Visit, caller: Caller) -> Answer:
    return json_answer(200, [visit.number, again.number, visit.path, visit.caller is caller])


@routes.get("/found", access=PUBLIC)
async def stream_found() -> Stream[Found]:
    """Returns everything."""

    async def pieces() -> AsyncIterator[bytes]:
        yield b'{"books":['
        yield b"1]}"

    return Stream(pieces(), "application/json")


def guard(request: Request, caller: Caller, fields: dict[str, Any]) -> None:
    if fields.pop("word", None) != "sesame":
        raise Forbidden("insufficient_scope")


PLAIN = Surface(name="plain", prefixes=["/plain"], features=[routes])
GUARDED = Surface(name="guarded", prefixes=["/guarded"], features=[routes], forms=guard, drops_blanks=True)


@pytest.fixture
async def http(world: World) -> AsyncIterator[httpx2.AsyncClient]:
    surfaces = [GUARDED, NOTHING]
    guarded = Gateway(surfaces, world.database, Admission(world.database, []), dependencies=[Visits()])
    async with world.client(app=guarded) as client:
        yield client


@pytest.fixture
async def plain(world: World) -> AsyncIterator[httpx2.AsyncClient]:
    surfaces = [PLAIN, NOTHING]
    app = Gateway(surfaces, world.database, Admission(world.database, []), dependencies=[Visits()])
    async with world.client(app=app) as client:
        yield client


async def send(http: httpx2.AsyncClient, text: str, prefix: str = "/plain") -> httpx2.Response:
    return await http.post(f"{prefix}/shelves/top/new", content=text.encode(), headers=FORM)


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        ("name=taken", "email_exists"),
        ("name=against the rules", "user_not_active"),
        ("name=wrong", "invalid_value"),
        ("books=1", "required"),
        ("name=A&books=0", "out_of_range"),
        ("name=A&size=7", "unknown_field"),
    ],
)
async def test_a_form_that_is_refused_is_shown_again_as_it_was_sent(
    plain: httpx2.AsyncClient, sent: str, code: str
) -> None:
    answer = await send(plain, sent)
    assert answer.status_code == 422
    name, path, told, values, _, most = answer.json()
    # Receives the path's parameters and the request's object, and an empty query.
    assert (name, path, told, most) == ("top", "/plain/shelves/top/new", code, 20)
    expected: dict[str, Any] = dict(each.split("=") for each in sent.split("&"))
    if "books" in expected:
        expected["books"] = [expected["books"]]
    assert values == expected


@pytest.mark.parametrize(("sent", "status"), [("name=nowhere", 404), ("name=not yours", 403)])
async def test_what_no_other_input_would_mend_is_told_as_an_error(
    plain: httpx2.AsyncClient, sent: str, status: int
) -> None:
    answer = await send(plain, sent)
    assert answer.status_code == status
    assert "error" in answer.json()


async def test_a_form_that_cannot_be_read_is_no_form_to_show_again(plain: httpx2.AsyncClient) -> None:
    answer = await plain.post("/plain/shelves/top/new", json={"name": "A"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (415, "unsupported_media_type")
    answer = await send(plain, "name=A&name=B")
    assert (answer.status_code, answer.json()[2:4]) == (422, ["duplicate_parameter", {}])


async def test_a_field_that_is_a_list_may_be_there_more_than_once(plain: httpx2.AsyncClient) -> None:
    for sent, read in (
        ("name=A", ["A", [], None]),
        ("name=A&books=3", ["A", [3], None]),
        ("name=A&books=3&tags=x&books=1&tags=y", ["A", [3, 1], ["x", "y"]]),
    ):
        answer = await send(plain, sent)
        assert (answer.status_code, answer.json()) == (200, read)
    wrong = await send(plain, "name=A&books=1&books=x&books=0")
    assert wrong.status_code == 422
    assert [each["field"] for each in wrong.json()[4]] == ["books.1", "books.2"]


async def test_a_form_passes_its_surfaces_guard_first(http: httpx2.AsyncClient) -> None:
    passed = await send(http, "word=sesame&name=A", "/guarded")
    assert (passed.status_code, passed.json()) == (200, ["A", [], None])
    for sent in ("name=A", "word=wrong&name=A", "word=&name=", "name=taken"):
        refused = await send(http, sent, "/guarded")
        # The answer neither mentions it nor shows it again.
        assert (refused.status_code, refused.json()["error"]["code"]) == (403, "insufficient_scope")
    shown = await send(http, "word=sesame&name=taken", "/guarded")
    assert (shown.status_code, shown.json()[3]) == (422, {"name": "taken"})


async def test_blanks_of_a_query_are_dropped_where_browsers_send_them(
    http: httpx2.AsyncClient, plain: httpx2.AsyncClient
) -> None:
    for query, read in (("q=&most=", [None, 20]), ("q=&most=5", [None, 5]), ("q=ab&most=", ["ab", 20])):
        answer = await http.get(f"/guarded/shelves?{query}")
        assert (answer.status_code, answer.json()) == (200, read)
        assert (await plain.get(f"/plain/shelves?{query}")).status_code == 400
    assert (await http.get("/guarded/shelves?q=a")).status_code == 400


async def test_what_is_made_for_a_request_is_made_anew_for_each(plain: httpx2.AsyncClient) -> None:
    visits = [(await plain.get("/plain/visits")).json() for _ in range(2)]
    assert [each[2:] for each in visits] == [["/plain/visits", True]] * 2
    numbers = [number for each in visits for number in each[:2]]
    assert len(set(numbers)) == 4


async def test_a_handler_that_asks_for_what_nobody_makes_is_noticed_at_the_start(world: World) -> None:
    with pytest.raises(TypeError, match="new_shelf asks for one Visit; there are 0"):
        Gateway([PLAIN, NOTHING], world.database, Admission(world.database, []))


async def test_a_stream_is_described_as_what_it_is_as_a_whole(plain: httpx2.AsyncClient) -> None:
    streamed = Routes("Found", "What was found.")
    streamed.all = [each for each in routes.all if each.handler is stream_found]
    assert streamed.all[0].result is Found
    described = describe(
        Description(
            title="Shelves",
            summary="Shelves.",
            introduction="Shelves.",
            server="http://trilha.test/plain",
            surfaces=[Surface(name="plain", prefixes=["/plain"], features=[streamed])],
            challenges=(),
            security_schemes={},
            security=lambda route: [],
        ),
        "1.0.0",
    )
    content = described["paths"]["/found"]["get"]["responses"]["200"]["content"]
    assert content["application/json"]["schema"] == {"$ref": "#/components/schemas/Found"}
    books = described["components"]["schemas"]["Found"]["properties"]["books"]
    assert books == {"type": "array", "items": {"type": "integer"}}
    assert (await plain.get("/plain/found")).json() == {"books": [1]}
