"""The pages of SCIM: tokens, guides, the limit, and the provider's requests."""

import re

import httpx2

from access.scim.providers import Provider, op
from conftest import World
from trilha.access.scim import request_log
from trilha.web.panel.scim.guides import GUIDES
from web.panel.signing_in import send, signed_in

HOME = "/admin/scim"
NEW = f"{HOME}/tokens/new"


async def created(client: httpx2.AsyncClient, **fields: object) -> tuple[str, str]:
    """Creates a token. Returns its address and the token itself."""
    answer = await send(client, NEW, **{"name": "Entra ID"} | fields)
    assert answer.status_code == 303, answer.text
    page = await client.get(answer.headers["location"])
    found = re.search(r'id="secret" value="([^"]+)"', page.text)
    assert found, page.text
    return answer.headers["location"].removesuffix("/secret"), found[1]


async def test_a_token_is_made_rotated_and_revoked(world: World) -> None:
    client = await signed_in(world)
    assert "No tokens yet" in (await client.get(HOME)).text
    address, token = await created(client, networks="127.0.0.0/8")
    assert (await world.client(token).get("/scim/v2/Users")).status_code == 200
    shown = (await client.get(address)).text
    assert "127.0.0.0/8" in shown
    assert token not in shown
    assert "already shown" in (await client.get(f"{address}/secret")).text
    answer = await send(client, f"{address}/rotate", grace=0)
    assert answer.status_code == 303
    assert (await world.client(token).get("/scim/v2/Users")).status_code == 401
    _, second = await created(client, name="Okta")
    assert (await send(client, f"{address}/revoke")).status_code == 303
    assert "Revoked" in (await client.get(HOME)).text
    assert (await world.client(second).get("/scim/v2/Users")).status_code == 200


async def test_a_form_that_is_refused_is_shown_again(world: World) -> None:
    client = await signed_in(world)
    for fields, told in (
        ({"name": ""}, "Fill in this field."),
        ({"name": "Okta", "networks": "10.0.0.0/99"}, "Enter addresses or networks"),
        ({"name": "Okta", "expires_on": "2020-01-01"}, "Choose today or a later day."),
    ):
        page = await send(client, NEW, **fields)
        assert page.status_code == 422
        assert told in page.text


async def test_the_limit_is_raised_and_taken_back(world: World) -> None:
    client = await signed_in(world)
    assert (await send(client, f"{HOME}/limit", requests="50000")).status_code == 303
    assert "50,000" in (await client.get(HOME)).text
    assert (await send(client, f"{HOME}/limit", requests="0")).status_code == 422
    assert (await send(client, f"{HOME}/limit", requests="")).status_code == 303
    assert "50,000" not in (await client.get(HOME)).text


async def test_what_a_provider_asked_for_is_shown(world: World, provider: Provider) -> None:
    client = await signed_in(world)
    user = await provider.user(userName="secret@example.com")
    world.clock.move(seconds=1)
    await provider.patch(user["id"], op("replace", "title", "Chefe"))
    world.clock.move(seconds=1)
    await provider.filtered("nonsense")
    (log,) = {each.noted.__self__ for each in world.app.surfaces if each.noted is not None}
    assert isinstance(log, request_log.RequestLog)
    await log.write()
    page = (await client.get(f"{HOME}/requests")).text
    for shown in ("PATCH /Users/{user_id}", "400 invalidFilter", "title", "userName"):
        assert shown in page
    assert "Chefe" not in page
    assert "secret@example.com" not in page
    overview = re.sub(r"\\s+", " ", (await client.get(HOME)).text)
    assert "People managed by the provider" in overview


async def test_every_guide_tells_this_companys_address(world: World) -> None:
    client = await signed_in(world)
    for name, guide in GUIDES.items():
        page = (await client.get(f"{HOME}/guides/{name}")).text
        assert guide.name in page
        assert "/scim/v2" in page
    assert (await client.get(f"{HOME}/guides/nobody")).status_code == 404
