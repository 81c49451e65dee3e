"""A page of another site changes nothing with a visitor's session, on any route that accepts one."""

import re
from typing import Any
from uuid import uuid4

import pytest

from conftest import World
from contract.test_every_surface import ROUTES, address
from trilha.access.sessions.identity import SessionIdentity
from trilha.core.web.callers import Public
from trilha.core.web.routes import Route
from trilha.core.web.surface import Surface
from web.panel.signing_in import PASSWORD, browser_of, made

UNSAFE = [
    (surface, prefix, route)
    for surface, prefix, route in ROUTES
    if isinstance(surface.identity, SessionIdentity) and route.method != "GET"
]
# The provider's page sends the person's browser to us; these routes exist for that.
BY_PROVIDERS = {"/sso/saml/{connection_id}/acs", "/sso/saml/{connection_id}/slo"}
OTHERS = [{"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "same-site"}, {"origin": "https://evil.test"}]
OTHERS += [{"origin": "null"}, {"origin": "http://trilha.test.evil.test"}]


def name_of(value: Any) -> str | None:
    return re.sub(r"[{}]", "", value.path or "/") if isinstance(value, Route) else None


def test_the_exceptions_are_these() -> None:
    assert {route.path for _, _, route in UNSAFE if route.from_other_sites} == BY_PROVIDERS


@pytest.mark.parametrize("headers", OTHERS, ids=lambda each: "-".join(each.values()))
async def test_no_route_takes_what_another_site_sends(world: World, headers: dict[str, str]) -> None:
    signed_in = await browser_of(world, await made(world, "admin"))
    stranger = world.client()
    for browser in (signed_in, stranger):
        for name in ("sec-fetch-site", "x-csrf-token"):
            browser.headers.pop(name, None)
        for surface, prefix, route in UNSAFE:
            if route.from_other_sites:
                continue
            answer = await browser.request(
                route.method, address(prefix, route), headers=headers, **body_of(surface)
            )
            assert answer.status_code == 403, (route.method, prefix, route.path, answer.text)
            assert "set-cookie" not in answer.headers


async def test_no_page_that_a_browser_tells_nothing_of_changes_anything(world: World) -> None:
    """The request has only the cookie, as from an old browser: no origin and no token."""
    signed_in = await browser_of(world, await made(world, "admin"))
    for name in ("sec-fetch-site", "x-csrf-token"):
        signed_in.headers.pop(name, None)
    for surface, prefix, route in UNSAFE:
        if route.from_other_sites or (surface.name == "api" and isinstance(route.access, Public)):
            continue
        answer = await signed_in.request(route.method, address(prefix, route), **body_of(surface))
        assert answer.status_code == 403, (route.method, prefix, route.path, answer.text)
        assert "set-cookie" not in answer.headers


def body_of(surface: Surface) -> dict[str, Any]:
    return {"json": {}} if surface.name == "api" else {"data": {"x": "y"}}


async def test_nobody_is_signed_in_by_another_sites_page(world: World) -> None:
    """Another site's page must not sign a visitor in, neither as themselves nor as another person."""
    user = await made(world)
    login = {"tenant_slug": world.tenant.slug, "email": user.email, "password": PASSWORD}
    for headers in OTHERS:
        answer = await world.client().post("/api/auth/login", json=login, headers=headers)
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "cross_site_request")
        assert "set-cookie" not in answer.headers
    # Clients that are not browsers send no origin, and our own pages send ours.
    for headers in ({}, {"sec-fetch-site": "same-origin"}, {"origin": "http://trilha.test"}):
        assert (await world.client().post("/api/auth/login", json=login, headers=headers)).status_code == 200


async def test_a_client_with_a_token_goes_on_working(world: World) -> None:
    user = await made(world)
    login = {"tenant_slug": world.tenant.slug, "email": user.email, "password": PASSWORD}
    token = (await world.client().post("/api/auth/login", json=login)).json()["session_token"]
    app = world.client(token)
    answer = await app.post("/api/auth/logout", headers={"origin": f"https://{uuid4().hex}.test"})
    assert answer.status_code == 204
