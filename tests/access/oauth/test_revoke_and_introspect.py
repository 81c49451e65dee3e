"""POST /oauth/revoke and /oauth/introspect. A number in a test's name is the section of the RFC."""

from typing import Any

import pytest

from access.oauth.clients import ISSUER, Client, basic, new_client, parts, refused
from conftest import World
from trilha.access.oauth import actions

GARBAGE = ["x", "a.b.c", "eyJhbGciOiJub25lIn0.e30.", "é", "trl_live_" + "0" * 40, "y" * 10_000]


@pytest.fixture
async def client(world: World) -> Client:
    return await new_client(world)


async def test_rfc7009_2_1_a_revoked_token_is_refused_at_once(client: Client) -> None:
    token, other = await client.token(), await client.token()
    assert (await client.call(token)).status_code == 200
    answer = await client.post("revoke", {"token": token})
    assert (answer.status_code, answer.content, answer.headers["cache-control"]) == (200, b"", "no-store")
    assert (await client.call(token)).json()["error"]["code"] == "credential_revoked"
    assert await client.introspect(token) == {"active": False}
    assert (await client.call(other)).status_code == 200


async def test_rfc7009_2_2_what_is_no_live_token_is_revoked_already(world: World, client: Client) -> None:
    token = await client.token()
    for each in (token, token, *GARBAGE):
        assert (await client.post("revoke", {"token": each})).status_code == 200
    expired = await client.token()
    world.clock.move(hours=2)
    assert (await client.post("revoke", {"token": expired})).status_code == 200


@pytest.mark.parametrize("hint", ["refresh_token", "access_token", "nonsense"])
async def test_rfc7009_2_1_whatever_the_hint(client: Client, hint: str) -> None:
    token = await client.token()
    assert (await client.post("revoke", {"token": token, "token_type_hint": hint})).status_code == 200
    assert (await client.call(token)).status_code == 401


@pytest.mark.parametrize("path", ["revoke", "introspect"])
async def test_rfc7009_2_2_1_no_token(client: Client, path: str) -> None:
    refused(await client.post(path, {}), 400, "invalid_request")
    refused(await client.post(path, {"token": ""}), 400, "invalid_request")
    refused(await client.post(path, params={"token": "x"}), 400, "invalid_request")


@pytest.mark.parametrize("path", ["revoke", "introspect"])
async def test_rfc7009_2_1_rfc7662_2_1_the_client_must_prove_who_it_is(
    world: World, client: Client, path: str
) -> None:
    token = await client.token()
    key = await world.key()
    for headers in (
        {},
        basic(client.name, "wrong"),
        {"authorization": f"Bearer {token}"},
        {"authorization": f"Bearer {key}"},
        basic(client.name, key),
        basic(key, ""),
    ):
        refused(await client.post(path, {"token": token}, headers=headers), 401, "invalid_client")
    assert (await client.call(token)).status_code == 200


async def test_rfc7009_2_1_another_clients_token_is_not_revoked(world: World, client: Client) -> None:
    token = await client.token()
    other = await new_client(world)
    refused(await other.post("revoke", {"token": token}), 400, "unauthorized_client")
    assert (await client.call(token)).status_code == 200


async def test_rfc7009_2_1_another_tenants_token_is_not_known(
    world: World, stranger: World, client: Client
) -> None:
    token = await client.token()
    other = await new_client(stranger)
    assert (await other.post("revoke", {"token": token})).status_code == 200
    assert (await client.call(token)).status_code == 200


@pytest.mark.parametrize("path", ["revoke", "introspect"])
@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
async def test_rfc7009_2_another_method(client: Client, path: str, method: str) -> None:
    answer = await client.http.request(method, f"/oauth/{path}", headers=client.basic)
    assert (answer.status_code, answer.json()["error"]) == (405, "invalid_request")
    assert "POST" in answer.headers["allow"]
    assert answer.headers["cache-control"] == "no-store"


async def test_rfc7662_2_2_a_live_token(client: Client) -> None:
    token = await client.token(scope="courses:read")
    _, claims = parts(token)
    answer = await client.post("introspect", {"token": token})
    assert answer.headers["cache-control"] == "no-store"
    assert answer.json() == {
        "active": True,
        "scope": "courses:read",
        "client_id": client.name,
        "token_type": "Bearer",
        "exp": claims["exp"],
        "iat": claims["iat"],
        "sub": client.name,
        "aud": ISSUER,
        "iss": ISSUER,
        "jti": claims["jti"],
    }


async def test_rfc7662_2_2_another_client_of_the_tenant_may_ask(world: World, client: Client) -> None:
    other = await new_client(world)
    assert (await other.introspect(await client.token()))["client_id"] == client.name


async def test_rfc7662_2_2_of_what_is_not_live_nothing_is_told(world: World, client: Client) -> None:
    for each in (*GARBAGE, client.secret, await world.key()):
        assert await client.introspect(each) == {"active": False}
    expired = await client.token()
    world.clock.move(hours=1)
    assert await client.introspect(expired) == {"active": False}


async def test_rfc7662_4_another_tenants_token(stranger: World, client: Client) -> None:
    other = await new_client(stranger)
    assert await other.introspect(await client.token()) == {"active": False}


@pytest.mark.parametrize("end", ["disabled", "deleted"])
async def test_rfc7662_2_2_the_token_of_a_client_that_ended(world: World, client: Client, end: str) -> None:
    other, token = await new_client(world), await client.token()
    async with world.tx() as tx:
        await (actions.disable if end == "disabled" else actions.delete)(tx, client.id)
    assert await other.introspect(token) == {"active": False}


async def test_limits_are_told(client: Client) -> None:
    answer: Any = await client.post("introspect", {"token": "x"})
    assert int(answer.headers["x-ratelimit-remaining"]) > 0
