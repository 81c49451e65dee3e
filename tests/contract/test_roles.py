"""Every page and action for people, tried with every role and without a session.

`test_other_tenants_pages.py` uses the ids of another tenant.
"""

import re
from collections.abc import AsyncIterator, Mapping
from types import MappingProxyType

import httpx2
import pytest

from conftest import World
from contract.test_every_surface import SURFACES
from trilha.access.permissions.roles import ROLES, Permission, Requires
from trilha.access.permissions.viewer import HasSession, PastSecondFactor, SignedIn
from trilha.core.passwords import hash_password
from trilha.core.web.callers import Public
from trilha.core.web.parsing import convert
from trilha.core.web.routes import Route
from trilha.core.web.surface import Surface
from trilha.people.users import actions as users
from trilha.people.users.schema import NewUser, Role

PASSWORD = "correct horse"
OF_PEOPLE = ("api", "panel", "learn", "login", "logout", "front", "preferences", "verify")
ROUTES = [(surface, route) for surface in SURFACES if surface.name in OF_PEOPLE for route in surface.routes]
SOME_ID = "1b4e28ba-2fa1-41d2-883f-0016d3cca427"


def named(each: object) -> str:
    if isinstance(each, Surface):
        return each.name
    return f"{each.method} {each.path}" if isinstance(each, Route) else str(each)


def expected(route: Route, role: Role) -> bool:
    """Tells whether this role is let in."""
    return not isinstance(route.access, Requires) or route.access.permission in ROLES[role]


@pytest.mark.parametrize(("surface", "route"), ROUTES, ids=named)
def test_every_route_says_who_may(surface: Surface, route: Route) -> None:
    assert isinstance(route.access, Requires | SignedIn | HasSession | PastSecondFactor | Public)
    if surface.name in ("panel", "learn") and not isinstance(
        route.access, HasSession | PastSecondFactor | SignedIn
    ):
        assert isinstance(route.access, Requires), "a page of people is open to nobody else"


def test_every_permission_is_somebodys_and_admins_have_all() -> None:
    assert ROLES["admin"] == frozenset(Permission)
    assert all(Permission.LEARN in each for each in ROLES.values())
    assert set(ROLES) == {"admin", "gestor", "instrutor", "learner"}


async def signed_in(world: World, role: Role) -> httpx2.AsyncClient:
    email = f"{role}@example.com"
    async with world.tx() as tx:
        new = convert(NewUser, {"email": email, "name": role}, tx.today)
        await users.create(tx, new, await hash_password(PASSWORD), role=role)
    client = world.client()
    client.headers["sec-fetch-site"] = "same-origin"
    form = {"tenant_slug": world.tenant.slug, "email": email, "password": PASSWORD}
    answer = await client.post("/login", data=form)
    assert answer.status_code == 303, answer.text
    return client


@pytest.fixture
async def client(world: World, request: pytest.FixtureRequest) -> AsyncIterator[httpx2.AsyncClient]:
    client = await signed_in(world, request.param)
    yield client
    await client.aclose()


async def tried(
    client: httpx2.AsyncClient, surface: Surface, route: Route, ids: Mapping[str, str] = MappingProxyType({})
) -> int:
    """Returns the status of a call with an empty body and the session's token.

    `ids` are by parameter name; any other id does not exist.
    """
    path = re.sub(r"{([^}]+)}", lambda found: ids.get(found[1], SOME_ID), route.path)
    address = surface.prefixes[0] + path
    form = {}
    if route.method != "GET" and surface.name != "api":
        page = (await client.get("/learn")).text
        found = re.search(r'name="csrf_token" value="([0-9a-f]+)"', page)
        form = {"csrf_token": found[1]} if found else {}
        form |= {name: ids[name] for name in getattr(route.form, "__struct_fields__", ()) if name in ids}
    if route.takes_files:
        answer = await client.post(address, data=form, files={"none": b""})
    elif route.form is not None:
        answer = await client.request(route.method, address, data=form)
    elif route.data is not None:
        answer = await client.request(route.method, address, json={})
    else:
        answer = await client.request(route.method, address)
    assert answer.status_code < 500, answer.text
    check_page(surface, answer)
    return answer.status_code


def check_page(surface: Surface, answer: httpx2.Response) -> None:
    """Checks every page: no other site may frame it, no cache may store it, and no other site gets its
    address.
    """
    if surface.name == "api" or "content-disposition" in answer.headers:
        return
    # The preview of a course is framed by its own page.
    is_framed = answer.request.url.path.endswith("/preview/page") and answer.is_success
    assert answer.headers["x-frame-options"] == ("SAMEORIGIN" if is_framed else "DENY")
    ancestors = "'self'" if is_framed else "'none'"
    assert f"frame-ancestors {ancestors}" in answer.headers["content-security-policy"]
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["referrer-policy"] in ("same-origin", "no-referrer")


@pytest.mark.parametrize("client", ROLES, indirect=True)
async def test_every_page_and_action_by_every_role(
    world: World, client: httpx2.AsyncClient, request: pytest.FixtureRequest
) -> None:
    role: Role = request.node.callspec.params["client"]
    wrong = []
    for surface, route in ROUTES:
        if route.path in ("/auth/logout", "/auth/sessions") or surface.name == "logout":
            continue  # these end the session that the test needs
        status = await tried(client, surface, route)
        if (status != 403) != expected(route, role):
            wrong.append((role, route.method, surface.prefixes[0] + route.path, status))
    assert wrong == []


async def test_every_page_and_action_by_nobody(world: World) -> None:
    client = world.client()
    client.headers["sec-fetch-site"] = "same-origin"
    wrong = []
    for surface, route in ROUTES:
        if isinstance(route.access, Public):
            continue
        status = await tried(client, surface, route)
        if status != (401 if surface.name == "api" else 303):
            wrong.append((route.method, surface.prefixes[0] + route.path, status))
    assert wrong == []
