"""The pages of OAuth clients."""

import html
import json
import re

import httpx2
import pytest
from joserfc.jwk import ECKey

from conftest import World
from web.panel.signing_in import send, signed_in

NEW = "/admin/oauth-clients/new"


async def created(client: httpx2.AsyncClient, **fields: object) -> str:
    """Creates a client. Returns its address."""
    answer = await send(client, NEW, **{"name": "ERP", "scopes": ["users:read"]} | fields)
    assert answer.status_code == 303, answer.text
    return answer.headers["location"].removesuffix("/secret")


def value_of(page: str, id: str) -> str:
    found = re.search(rf'id="{id}" value="([^"]+)"', page)
    assert found, page
    return html.unescape(found[1])


async def token(world: World, name: str, secret: str) -> httpx2.Response:
    form = {"grant_type": "client_credentials"}
    return await world.client().post("/oauth/token", data=form, auth=(name, secret))


async def test_a_client_is_made_rotated_disabled_enabled_and_deleted(world: World) -> None:
    client = await signed_in(world)
    assert "No OAuth client yet" in (await client.get("/admin/oauth-clients")).text
    address = await created(client)
    page = (await client.get(f"{address}/secret")).text
    name, first = value_of(page, "client_id"), value_of(page, "secret")
    assert "already shown" in (await client.get(f"{address}/secret")).text
    issued = await token(world, name, first)
    assert issued.status_code == 200
    access = issued.json()["access_token"]

    await send(client, f"{address}/rotate", grace="1")
    second = value_of((await client.get(f"{address}/secret")).text, "secret")
    assert "An earlier secret still works" in (await client.get(address)).text
    assert (await token(world, name, first)).status_code == 200
    world.clock.move(hours=1)
    assert (await token(world, name, first)).status_code == 401
    access = (await token(world, name, second)).json()["access_token"]
    assert (await world.client(access).get("/v1/users")).status_code == 200

    await send(client, f"{address}/disable")
    assert "Enable client" in (await client.get(address)).text
    assert (await world.client(access).get("/v1/users")).status_code == 401
    assert (await token(world, name, second)).status_code == 401
    await send(client, f"{address}/disable")
    assert "Someone else changed this client in the meantime" in (await client.get(address)).text

    world.clock.move(seconds=1)
    await send(client, f"{address}/enable")
    assert (await token(world, name, second)).status_code == 200
    gone = await send(client, f"{address}/delete")
    assert gone.headers["location"] == "/admin/oauth-clients"
    assert (await token(world, name, second)).status_code == 401
    assert (await client.get(address)).status_code == 404


async def test_a_client_that_signs_has_no_secret(world: World) -> None:
    client = await signed_in(world)
    key = ECKey.generate_key("P-256", {"kid": "one"}).as_dict(private=False)
    address = await created(client, method="keys", public_keys=json.dumps({"keys": [key]}))
    page = (await client.get(address)).text
    assert "Signature, checked with the public keys: one" in page
    assert "Rotate secret" not in page
    assert (await client.get(f"{address}/rotate")).status_code == 404
    assert "already shown" in (await client.get(f"{address}/secret")).text


@pytest.mark.parametrize(
    "keys",
    [
        "",
        "not json",
        "[]",
        '{"keys": []}',
        json.dumps({"keys": [ECKey.generate_key("P-256").as_dict(private=True)]}),
    ],
)
async def test_keys_that_are_no_public_keys(world: World, keys: str) -> None:
    client = await signed_in(world)
    page = await send(client, NEW, name="ERP", scopes=["users:read"], method="keys", public_keys=keys)
    assert page.status_code == 422
    assert "Public keys: Paste a JWK set of 1 to 8 public keys" in page.text
    assert "No OAuth client yet" in (await client.get("/admin/oauth-clients")).text


async def test_searching_and_filtering(world: World) -> None:
    client = await signed_in(world)
    for name in ("Zeta", "Alfa"):
        address = await created(client, name=name)
        world.clock.move(seconds=1)  # newest first
    await send(client, f"{address}/disable")

    async def names(query: str) -> list[str]:
        page = (await client.get(f"/admin/oauth-clients?{query}")).text
        return re.findall(r'class="table__link" href="[^"]+">([^<]+)<', page)

    assert await names("") == ["Alfa", "Zeta"]
    assert await names("q=zE") == ["Zeta"]
    assert await names("state=disabled") == ["Alfa"]
    assert await names("state=live") == ["Zeta"]
    assert "No results for these filters" in (await client.get("/admin/oauth-clients?q=no")).text


async def test_another_tenants_client_is_nowhere(world: World, stranger: World) -> None:
    mine, theirs = await signed_in(world), await signed_in(stranger)
    address = await created(theirs)
    for path in ("", "/secret", "/rotate", "/disable", "/delete"):
        assert (await mine.get(address + path)).status_code == 404
    for path in ("/rotate", "/disable", "/enable", "/delete"):
        assert (await send(mine, address + path)).status_code == 404
    assert (await theirs.get(address)).status_code == 200
