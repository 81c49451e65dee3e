"""Every address that the server answers belongs to a surface, and is answered in that surface's format."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import unquote

import httpx2
import pytest

from conftest import World
from trilha import app as trilha_app
from trilha.core import logs
from trilha.core.clock import system_clock
from trilha.core.database import Database
from trilha.core.database.logins import ServingUrls
from trilha.core.secrets import Keyring
from trilha.core.web.routes import RestOfPath, Route
from trilha.core.web.surface import Surface
from trilha.settings import Settings

SOME_ID = "1b4e28ba-2fa1-41d2-883f-0016d3cca427"
METHODS = {"GET", "POST", "PUT", "PATCH", "DELETE"}
# As in the test's application, which does not exist before a test runs. Surfaces with their own hosts are
# tested in tests/web/player.
SURFACES = [
    each
    for each in trilha_app.create_app(
        Settings(),
        Database(ServingUrls("postgresql:///", "postgresql:///"), system_clock, Keyring([b"k" * 32])),
    ).surfaces
    if each.host is None
]
ADDRESSES = [(surface, prefix) for surface in SURFACES for prefix in surface.prefixes]
ROUTES = [(surface, prefix, route) for surface, prefix in ADDRESSES for route in surface.routes]


def address(prefix: str, route: Route) -> str:
    """Returns the address of a route with values for its parameters."""
    return prefix + re.sub(r"{[^}]+}", SOME_ID, route.path)


def in_envelope(answer: httpx2.Response) -> bool:
    error = answer.json()["error"]
    return {"type", "code", "message", "request_id"} <= error.keys() and (
        error["request_id"] == answer.headers["x-request-id"]
    )


def in_form_of_rfc6749(answer: httpx2.Response) -> bool:
    return answer.json().keys() == {"error", "error_description"}


def in_a_page(answer: httpx2.Response) -> bool:
    return answer.text.startswith("<!doctype html>") and "<h1>" in answer.text


def in_form_of_scim(answer: httpx2.Response) -> bool:
    told = answer.json()
    return told["status"] == str(answer.status_code) and told["schemas"][0].endswith(":Error")


# A new surface states here how it reports errors, and which headers are on each of its answers.
ENVELOPE = (in_envelope, "application/json")
PAGE = (in_a_page, "text/html; charset=utf-8")
PAGES = ("preferences", "panel", "learn", "login", "logout", "verify", "accessibility", "front", "docs")
FORMS: dict[str, tuple[Callable[[httpx2.Response], bool], str]] = {
    "v1": ENVELOPE,
    "api": ENVELOPE,
    "oauth": (in_form_of_rfc6749, "application/json;charset=UTF-8"),
    "scim": (in_form_of_scim, "application/scim+json"),
    "xapi": ENVELOPE,
    "well-known": ENVELOPE,
    "assets": ENVELOPE,
    "brand": ENVELOPE,
    "guides": ENVELOPE,
    "face_model": ENVELOPE,
    "logos": ENVELOPE,
    "thumbnails": ENVELOPE,
    "certificates": ENVELOPE,
    "app_icons": ENVELOPE,
    "badges": ENVELOPE,
    "exports": ENVELOPE,
    "calendar": ENVELOPE,
    "openapi": ENVELOPE,
    "livez": ENVELOPE,
    "readyz": ENVELOPE,
    "metrics": ENVELOPE,
    "operator": ENVELOPE,
    **dict.fromkeys(PAGES, PAGE),
}
FILES = {"docs", "assets", "brand", "guides", "face_model", "logos", "thumbnails"} | {
    *("app_icons", "certificates", "badges", "exports", "verify", "calendar")
}
HEADERS = {
    "v1": {"cache-control": "no-store"},
    "operator": {"cache-control": "no-store"},
    "oauth": {"cache-control": "no-store", "pragma": "no-cache"},
    "calendar": {"cache-control": "private"},
    **{
        name: {"cache-control": "no-store"}
        for name in ("api", "certificates", "exports", "scim", "xapi", *PAGES)
    },
}


class Heard:
    """Sends a request, and returns the surface and the route in its log line."""

    def __init__(self, world: World, capfd: pytest.CaptureFixture[str]) -> None:
        self._world = world
        self._capfd = capfd

    async def __call__(self, method: str, path: str) -> tuple[httpx2.Response, Any]:
        self._capfd.readouterr()
        answer = await self._world.http.request(method, f"http://trilha.test{path}")
        (line,) = [
            noted
            for noted in map(json.loads, self._capfd.readouterr().err.splitlines())
            if noted.get("request_id") == answer.headers["x-request-id"]
        ]
        return answer, line


@pytest.fixture
def ask(world: World, capfd: pytest.CaptureFixture[str]) -> Iterator[Heard]:
    logs.configure("json")
    yield Heard(world, capfd)
    with capfd.disabled():
        logs.configure("json")


def check_refusal(surface: Surface, answer: httpx2.Response, status: int) -> None:
    in_form, media_type = FORMS[surface.name]
    assert answer.status_code == status
    assert answer.headers["content-type"] == media_type
    assert in_form(answer), answer.text
    check_headers(surface, answer)


def check_headers(surface: Surface, answer: httpx2.Response) -> None:
    assert answer.headers["x-content-type-options"] == "nosniff"
    expected = HEADERS.get(surface.name, {})
    assert {name: answer.headers.get(name) for name in ("cache-control", "pragma")} == {
        name: expected.get(name) for name in ("cache-control", "pragma")
    }


def allowed(surface: Surface, path: str) -> set[str]:
    methods = {route.method for route in surface.routes if route.path == path}
    return methods | {"OPTIONS"} | ({"HEAD"} if "GET" in methods else set())


def test_every_surface_has_its_form() -> None:
    assert FORMS.keys() == {surface.name for surface in SURFACES}


def test_no_two_surfaces_hang_at_one_place() -> None:
    prefixes = [prefix for _, prefix in ADDRESSES]
    assert sorted(prefixes) == sorted(set(prefixes))
    for surface in SURFACES:
        places = [(route.method, re.sub(r"{[^}]+}", "{}", route.path)) for route in surface.routes]
        assert len(places) == len(set(places))


@pytest.mark.parametrize(
    ("surface", "prefix", "route"),
    ROUTES,
    ids=[f"{route.method} {prefix}{route.path}" for _, prefix, route in ROUTES],
)
async def test_every_route_answers_through_its_surface(
    ask: Heard, surface: Surface, prefix: str, route: Route
) -> None:
    path = address(prefix, route)
    answer, line = await ask(route.method, path)
    assert (line["surface"], line["route"]) == (surface.name, surface.prefixes[0] + route.path)
    assert line["message"] == f"{route.method} {line['route']}"
    assert (line["status"], line["tenant"] is None) == (
        answer.status_code,
        surface.name not in ("v1", "xapi"),
    )
    assert answer.status_code < 500
    if answer.status_code >= 400:
        check_refusal(surface, answer, answer.status_code)

    options, line = await ask("OPTIONS", path)
    assert (options.status_code, options.content, line["surface"]) == (204, b"", surface.name)
    assert set(options.headers["allow"].split(", ")) == allowed(surface, route.path)
    check_headers(surface, options)

    for method in (METHODS | {"TRACE", "PROPFIND"}) - allowed(surface, route.path):
        refused, line = await ask(method, path)
        check_refusal(surface, refused, 405)
        assert set(refused.headers["allow"].split(", ")) == allowed(surface, route.path)
        assert (line["surface"], line["route"]) == (surface.name, "(no route)")

    if route.method == "GET":
        head, line = await ask("HEAD", path)
        assert (head.status_code, head.content, line["surface"]) == (answer.status_code, b"", surface.name)
        for name in ("content-type", "content-length", "cache-control", "etag"):
            assert head.headers.get(name) == answer.headers.get(name)


@pytest.mark.parametrize(("surface", "prefix"), ADDRESSES, ids=[prefix or "/" for _, prefix in ADDRESSES])
@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS"])
async def test_what_is_not_there_is_told_by_the_surface_it_would_be_on(
    ask: Heard, surface: Surface, prefix: str, method: str
) -> None:
    for path in ("/there/is/nothing", f"/{SOME_ID}/there/is/nothing", "/%00", "/..%2f..", "/.env"):
        answer, line = await ask(method, prefix + path)
        if answer.status_code == 405:  # these files may have any name
            assert surface.name in FILES
            assert line["route"] == "(no route)"
            continue
        if answer.status_code == 200:  # any text may be a code
            assert surface.name == "verify"
            continue
        if answer.status_code == 204:
            assert surface.name in FILES
            assert method == "OPTIONS"
            continue
        check_refusal(surface, answer, 404)
        assert line["surface"] == surface.name


def patterns() -> Iterator[tuple[str, str, re.Pattern[str]]]:
    """Builds a pattern for each declared address, without the router."""
    for surface, prefix, route in ROUTES:
        form = prefix + route.path
        for name, kind in route.path_params.items():
            form = form.replace(f"{{{name}}}", ".*" if kind is RestOfPath else "[^/]+")
        yield surface.name, surface.prefixes[0] + route.path, re.compile(f"{form.rstrip('/')}/?")


def neighbours(path: str) -> set[str]:
    """Returns addresses that differ slightly from this one."""
    segments = path.split("/")
    cut = {"/".join(segments[:n]) or "/" for n in range(1, len(segments))}
    more = {path + end for end in ("/", "//", "/x", "x", "/%2e%2e", "/%2e", "%2f", ";x", ".json")}
    other = {path.upper(), "/" + path, path.replace("/", "//"), "/x" + path, f"/api{path}", f"/v1{path}"}
    return {path} | cut | more | other


@pytest.mark.parametrize("every", [6, pytest.param(1, marks=pytest.mark.long)])
async def test_nothing_is_reached_that_is_not_declared(ask: Heard, every: int) -> None:
    declared = list(patterns())
    near = {each for _, prefix, route in ROUTES for each in neighbours(address(prefix, route))}
    asked = {*sorted(near)[::every], *(address(prefix, route) for _, prefix, route in ROUTES)}
    asked |= {
        "/favicon.ico",
        "/robots.txt",
        "/metrics",
        "/schema",
        "/static/x",
        "/docs/%2e%2e/v1/users",
        "/*",
    }
    reached = set()
    for path in sorted(asked):
        answer, line = await ask("GET", path)
        meant = unquote(path)
        here = {(name, form) for name, form, pattern in declared if pattern.fullmatch(meant)}
        if line["route"] == "(no route)":
            assert answer.status_code in (404, 405), path
            assert answer.status_code == (405 if here else 404), path
        else:
            assert (line["surface"], line["route"]) in here, path
            reached.add((line["surface"], line["route"]))
        # Never the answer of another surface.
        assert line["surface"] in {name for name, _ in here} or not here, path
    assert reached == {
        (surface.name, surface.prefixes[0] + route.path)
        for surface, _, route in ROUTES
        if route.method == "GET"
    }


def test_the_fallback_has_the_front_alone() -> None:
    (fallback,) = [surface for surface in SURFACES if "" in surface.prefixes]
    assert (fallback.name, [route.path for route in fallback.routes]) == ("front", ["/"])
    assert SURFACES[-1] is fallback


async def test_what_is_no_request_is_not_answered(world: World) -> None:
    """WebSockets and other protocols get no answer."""
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    await world.app({"type": "websocket", "path": "/v1/users", "headers": []}, None, send)
    assert sent == []
