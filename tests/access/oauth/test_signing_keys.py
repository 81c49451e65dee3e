"""The metadata, the published keys and their rotation, and clients that sign."""

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any
from uuid import uuid4

import asyncpg
import msgspec
import pytest

from access.oauth.clients import ISSUER, Client, new_client, parts, signing_key
from conftest import Clock, World, new_world
from posting import run_job
from suite_database import with_database
from trilha import app as trilha_app
from trilha.access.oauth import jobs, queries, unscoped
from trilha.access.oauth.signing_keys import PUBLISHED_FOR, SigningKeys
from trilha.core.credentials import SCOPES, SYSTEM, Actor, CredentialRefused
from trilha.core.database import Database
from trilha.core.database.logins import serving_urls
from trilha.core.database.migrate import migrate
from trilha.core.secrets import Keyring
from trilha.settings import Settings

AGE = timedelta(days=90)


@pytest.fixture(scope="module")
async def apart(
    admin_url: str, keyring: Keyring, session_clock: Clock
) -> AsyncIterator[tuple[str, Database]]:
    """A separate database, because signing keys belong to all tenants, and so to all other tests."""
    name = f"keys_{uuid4().hex}"
    server = await asyncpg.connect(admin_url)
    await server.execute(f"CREATE DATABASE {name}")
    url = with_database(admin_url, name)
    await migrate(url, keyring)
    database = Database(serving_urls(url, keyring), session_clock, keyring, size=4)
    await database.open()
    yield url, database
    await database.close()
    await server.execute(f"DROP DATABASE {name}")
    await server.close()


@pytest.fixture
async def world(apart: tuple[str, Database], clock: Clock, settings: Settings) -> AsyncIterator[World]:
    """A world without keys, in a process that has cached none."""
    url, database = apart
    owner = await asyncpg.connect(url)
    await owner.execute("TRUNCATE signing_keys")
    await owner.close()
    world = await new_world(url, database, clock, trilha_app.create_app(settings, database, clock))
    yield world
    await world.http.aclose()


@pytest.fixture
async def client(world: World) -> Client:
    return await new_client(world)


@pytest.fixture
async def keys(world: World) -> SigningKeys:
    return SigningKeys(world.database)


async def published(world: World) -> list[dict[str, Any]]:
    return list((await world.client().get("/oauth/jwks")).json()["keys"])


async def test_rfc8414_the_metadata(world: World) -> None:
    answer = await world.client().get("/.well-known/oauth-authorization-server")
    assert answer.headers["content-type"] == "application/json;charset=UTF-8"
    told = answer.json()
    assert told["issuer"] == ISSUER
    for name in ("token", "revocation", "introspection"):
        path = told[f"{name}_endpoint"].removeprefix(ISSUER)
        assert (await world.client().post(path)).status_code in (400, 401)
        assert told[f"{name}_endpoint_auth_methods_supported"] == [
            "client_secret_basic",
            "client_secret_post",
            "private_key_jwt",
        ]
    assert told["jwks_uri"] == f"{ISSUER}/oauth/jwks"
    assert told["grant_types_supported"] == ["client_credentials"]
    assert told["scopes_supported"] == list(SCOPES)
    assert told["response_types_supported"] == []
    assert (await world.client().get("/.well-known/openid-configuration")).status_code == 404


async def test_rfc7517_9_2_nothing_private_is_published(world: World) -> None:
    answer = await world.client().get("/oauth/jwks")
    assert answer.headers["cache-control"] == f"public, max-age={PUBLISHED_FOR.seconds}"
    for key in answer.json()["keys"]:
        assert set(key) == {"kty", "crv", "x", "y", "kid", "use", "alg"}
        assert (key["alg"], key["use"], key["crv"]) == ("ES256", "sig", "P-256")


async def test_the_private_part_is_stored_sealed(world: World) -> None:
    await signing_key(world)
    async with world.database.unscoped() as statements:
        rows = await unscoped.list_signing_keys(statements)
    for row in rows:
        assert b"PRIVATE" not in row.private
        assert "d" not in row.public


async def test_rfc7517_4_5_a_key_is_published_before_it_signs_and_after(
    world: World, client: Client, keys: SigningKeys
) -> None:
    token = await client.token()
    old = parts(token)[0]["kid"]
    await keys.add()
    new = (await keys.list())[-1].kid
    world.clock.move(minutes=2)
    assert {old, new} <= {key["kid"] for key in await published(world)}
    assert parts(await client.token())[0]["kid"] == old
    world.clock.move(minutes=14)
    assert parts(await client.token())[0]["kid"] == new
    assert (await client.call(token)).status_code == 200
    assert old in {key["kid"] for key in await published(world)}


async def test_another_process_knows_a_key_when_it_sees_it(
    world: World, settings: Settings, client: Client
) -> None:
    other = trilha_app.create_app(settings, world.database, world.clock)
    await client.token()
    here = world.client(app=other)
    bearer = {"authorization": f"Bearer {await client.token()}"}
    assert (await here.get("/v1/users", headers=bearer)).status_code == 200
    at_once = SigningKeys(world.database)
    await at_once.add(after=timedelta())
    world.clock.move(minutes=1)
    token = await client.token()
    assert parts(token)[0]["kid"] == (await at_once.list())[-1].kid
    assert (await here.get("/v1/users", headers={"authorization": f"Bearer {token}"})).status_code == 200


async def test_keys_take_turns_by_age_and_the_old_ones_go(world: World, keys: SigningKeys) -> None:
    await keys.signing()
    while await jobs.rotate_signing_keys(world.database, age=timedelta(days=36_500)):
        pass
    (*_, last) = await keys.list()
    world.clock.now = max(world.clock.now, last.signs_from)
    assert await jobs.rotate_signing_keys(world.database, age=AGE) == 0
    world.clock.move(days=90)
    assert await jobs.rotate_signing_keys(world.database, age=AGE) == 1
    assert await jobs.rotate_signing_keys(world.database, age=AGE) == 0
    both = [each.kid for each in await keys.list()][-2:]
    assert both[0] == last.kid
    world.clock.move(minutes=15 + 60)
    assert await jobs.rotate_signing_keys(world.database, age=AGE) == 0
    world.clock.move(minutes=1)
    assert await jobs.rotate_signing_keys(world.database, age=AGE) == 1
    assert [each.kid for each in await keys.list()] == both[1:]


async def test_of_two_processes_one_makes_the_next_key(world: World, keys: SigningKeys) -> None:
    first = await keys.signing()
    async with world.database.unscoped() as statements:
        (row,) = await unscoped.list_signing_keys(statements)
        other = msgspec.structs.replace(row, kid="of another process")
        await unscoped.insert_signing_key(statements, other, SYSTEM)
    assert [each.kid for each in await keys.list()] == [first.kid]


async def test_a_revoked_key_takes_its_tokens_along(world: World, client: Client, keys: SigningKeys) -> None:
    await keys.add(after=timedelta())
    world.clock.move(minutes=2)
    token = await client.token()
    kid = parts(token)[0]["kid"]
    assert (await client.call(token)).status_code == 200
    await keys.revoke(kid)
    assert (await client.call(token)).json()["error"]["code"] == "credential_revoked"
    assert await client.introspect(token) == {"active": False}
    with pytest.raises(CredentialRefused):
        await keys.revoke(kid)


async def test_no_process_signs_with_a_revoked_key(world: World, client: Client, keys: SigningKeys) -> None:
    kid = parts(await client.token())[0]["kid"]
    await keys.revoke(kid)
    token = await client.token()
    assert parts(token)[0]["kid"] != kid
    assert (await client.call(token)).status_code == 200


async def test_tokens_and_assertions_that_are_over_are_pruned(world: World, client: Client) -> None:
    await client.token()
    async with world.tx() as tx:
        assert await queries.use_assertion(tx, client.id, b"digest", tx.now + timedelta(minutes=1))
    world.clock.move(minutes=61)
    live = await client.token()
    # The id of a used assertion is stored until the assertion expires, at most a day later.
    for more, pruned, left in ((0, 1, 1), (24 * 60, 2, 1)):
        world.clock.move(minutes=more)
        if more:
            async with world.tx() as tx:
                assert await queries.use_assertion(tx, client.id, b"newer", tx.now + timedelta(minutes=1))
        else:
            assert (await client.call(live)).status_code == 200
        assert await run_job(jobs.PRUNE_TOKENS, world) == pruned
        async with world.tx() as tx:
            sql = "SELECT count(*) FROM oauth_assertions WHERE tenant_id = :tenant"
            assert await tx.value(sql) == left


async def test_who_made_and_dropped_a_key_is_on_record(world: World) -> None:
    ana = Actor("operator", "ana", uuid4().hex)
    keys = SigningKeys(world.database, ana)
    await keys.add()
    kid = (await keys.list())[-1].kid
    await keys.revoke(kid)
    async with world.database.unscoped() as statements:
        records = await statements.rows(
            "SELECT action, target, actor FROM global_audit_records WHERE source = :source ORDER BY id DESC",
            source=ana.source,
        )
    assert [tuple(record) for record in records] == [
        ("signing_key.deleted", kid, "ana"),
        ("signing_key.created", kid, "ana"),
    ]
