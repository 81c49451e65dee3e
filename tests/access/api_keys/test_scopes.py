"""Every route requires its one scope, and accepts no other."""

import pytest

from conftest import World
from trilha.app import all_routes
from trilha.core.credentials import Scope
from trilha.core.web.routes import Route

NOBODY = "1b4e28ba-2fa1-41d2-883f-0016d3cca427"
ROUTES = [pytest.param(route, id=f"{route.method} {route.path}") for route in all_routes() if route.scope]


def address(route: Route) -> str:
    return "/v1" + route.path.format(**dict.fromkeys(route.path_params, NOBODY))


@pytest.mark.parametrize("route", ROUTES)
async def test_opens_with_its_scope_alone(world: World, route: Route) -> None:
    others = await world.key(*(scope for scope in Scope if scope != route.scope))
    answer = await world.client(others).request(route.method, address(route))
    error = answer.json()["error"]
    assert (answer.status_code, error["type"], error["code"]) == (
        403,
        "authorization_error",
        "insufficient_scope",
    )
    assert error["detail"] == {"required_scope": route.scope}
    own = await world.key(route.scope)
    assert (await world.client(own).request(route.method, address(route))).status_code not in (401, 403)


@pytest.mark.parametrize("route", ROUTES)
async def test_the_credential_is_asked_for_first(world: World, route: Route) -> None:
    """Neither a body nor an id reveals anything to a caller without a credential."""
    answer = await world.client().request(route.method, address(route) + "?x=1", content=b"{")
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "credential_missing")
