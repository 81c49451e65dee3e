"""Idempotency-Key: a repeated POST returns the first answer."""

import asyncio
from typing import Any

import asyncpg
import httpx2
import pytest

from conftest import World
from trilha.access.api_keys import actions as api_keys
from trilha.core.web import idempotency
from trilha.core.web.idempotency import IdempotencyKey

ANA = {"email": "ana@example.com", "name": "Ana"}


async def post(
    world: World, body: Any, key: str = "k", path: str = "/v1/users", client: Any = None
) -> httpx2.Response:
    answer: httpx2.Response = await (client or world.http).post(
        path, json=body, headers={"idempotency-key": key}
    )
    return answer


async def test_the_answer_is_repeated_with_what_was_shown_once(world: World) -> None:
    first = await post(world, ANA)
    world.clock.move(hours=23, minutes=59)
    again = await post(world, ANA)
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.content == first.content
    assert again.json()["_meta"]["temporary_password"]
    assert "idempotent-replayed" not in first.headers
    assert again.headers["idempotent-replayed"] == "true"
    assert again.headers["content-type"] == "application/json"
    assert again.headers["x-request-id"] != first.headers["x-request-id"]
    assert len(await world.events("user.created")) == 1


async def test_an_empty_answer_is_repeated(world: World) -> None:
    path = f"/v1/users/{(await world.user())['id']}/suspend"
    first = await world.http.post(path, headers={"idempotency-key": "k"})
    await world.http.post(path.replace("suspend", "reactivate"))
    again = await world.http.post(path, headers={"idempotency-key": "k"})
    assert (first.status_code, again.status_code, again.content) == (204, 204, b"")
    assert again.headers["idempotent-replayed"] == "true"
    assert len(await world.events("user.suspended")) == 1


async def test_a_refusal_is_repeated(world: World) -> None:
    await world.user(email="ana@example.com")
    first = await post(world, ANA)
    assert (first.status_code, first.json()["error"]["code"]) == (409, "email_exists")
    async with world.tx() as tx:
        await tx.execute("DELETE FROM users WHERE tenant_id = :tenant")
    again = await post(world, ANA)
    assert again.status_code == 409
    assert again.content == first.content
    assert again.headers["idempotent-replayed"] == "true"


async def test_a_body_that_was_never_read_keeps_the_key_free(world: World) -> None:
    assert (await post(world, ANA | {"name": ""})).status_code == 400
    assert (await post(world, ANA)).status_code == 201


@pytest.mark.parametrize("other", ["body", "path"])
async def test_another_request_is_refused(world: World, other: str) -> None:
    await post(world, ANA)
    body = ANA | {"name": "Other"} if other == "body" else {"enrollments": []}
    path = "/v1/users" if other == "body" else "/v1/enrollments/bulk"
    answer = await post(world, body, path=path)
    error = answer.json()["error"]
    assert (answer.status_code, error["type"], error["code"]) == (409, "conflict", "idempotency_key_reused")
    assert (await post(world, ANA)).headers["idempotent-replayed"] == "true"


async def test_a_key_is_good_for_a_day(world: World) -> None:
    await post(world, ANA)
    world.clock.move(hours=24)
    answer = await post(world, {"email": "bia@example.com", "name": "Bia"})
    assert answer.status_code == 201
    assert "idempotent-replayed" not in answer.headers
    assert (await post(world, ANA)).json()["error"]["code"] == "idempotency_key_reused"


async def test_keys_past_their_day_are_dropped(world: World) -> None:
    await post(world, ANA, "old")
    world.clock.move(hours=24, milliseconds=1)
    await post(world, {"email": "bia@example.com", "name": "Bia"}, "new")
    async with world.tx() as tx:
        assert await idempotency.prune(tx) == 1
        (row,) = await tx.rows("SELECT key FROM idempotency_keys WHERE tenant_id = :tenant")
    assert row["key"] == "new"


async def test_each_credential_has_its_own_keys(world: World, stranger: World) -> None:
    first = await post(world, ANA)
    colleague = world.client(await world.key())
    own = await post(world, {"email": "bia@example.com", "name": "Bia"}, client=colleague)
    other = await post(stranger, ANA)
    assert [each.status_code for each in (first, own, other)] == [201, 201, 201]
    assert first.json()["data"]["id"] != other.json()["data"]["id"]


async def test_while_the_first_runs_a_second_hears_so_at_once(world: World) -> None:
    async with world.tx() as tx:
        issued = await api_keys.create(tx, "Test", ["users:write"], prefix="trl_live_")
    client = world.client(issued.key)
    async with world.tx() as tx:
        assert await IdempotencyKey(tx, issued.api_key.id, "k", b"").claim() is None
        answer = await post(world, ANA, client=client)
        error = answer.json()["error"]
        assert (answer.status_code, error["code"]) == (409, "idempotency_in_progress")
    assert (await post(world, ANA, client=client)).status_code == 201


async def test_what_fails_on_our_side_keeps_the_key_free(world: World, admin_url: str) -> None:
    name = f"fail_{world.tenant.id.hex}"
    owner = await asyncpg.connect(admin_url)
    await owner.execute(f"""
        CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''no''; END';
        CREATE TRIGGER {name} BEFORE INSERT ON users FOR EACH ROW
        WHEN (NEW.tenant_id = '{world.tenant.id}') EXECUTE FUNCTION {name}();
        """)
    try:
        assert (await post(world, ANA)).status_code == 500
    finally:
        await owner.execute(f"DROP FUNCTION {name} CASCADE")
        await owner.close()
    answer = await post(world, ANA)
    assert answer.status_code == 201
    assert "idempotent-replayed" not in answer.headers


@pytest.mark.parametrize("key", [b"", b"x" * 256, b"a\tb", b"\xc3\xa9", b"\x7f"])
async def test_a_key_is_1_to_255_printable_letters(world: World, key: bytes) -> None:
    answer = await world.http.post("/v1/users", json=ANA, headers={"idempotency-key": key})
    error = answer.json()["error"]
    assert (answer.status_code, error["field"], error["code"]) == (
        400,
        "Idempotency-Key",
        "invalid_idempotency_key",
    )


async def test_the_longest_key_is_taken(world: World) -> None:
    assert (await post(world, ANA, "x" * 255)).status_code == 201
    assert (await post(world, ANA, "x" * 255)).headers["idempotent-replayed"] == "true"


async def test_a_key_on_another_method_means_nothing(world: World) -> None:
    user = await world.user()
    path = f"/v1/users/{user['id']}"
    for name in ("One", "Two"):
        answer = await world.http.patch(path, json={"name": name}, headers={"idempotency-key": "k"})
        assert answer.json()["data"]["name"] == name


async def test_the_stored_answer_is_sealed(world: World) -> None:
    answer = await post(world, ANA)
    async with world.tx() as tx:
        (row,) = await tx.rows("SELECT request, response FROM idempotency_keys WHERE tenant_id = :tenant")
    stored = bytes(row["request"]) + bytes(row["response"])
    for clear in (b"ana@example.com", answer.json()["_meta"]["temporary_password"].encode(), b"ACTIVE"):
        assert clear not in stored


async def test_identical_calls_at_once_run_once(world: World) -> None:
    answers = await asyncio.gather(*(post(world, ANA) for _ in range(8)))
    done = [each for each in answers if each.status_code == 201]
    waiting = [each for each in answers if each.status_code == 409]
    assert len(done) + len(waiting) == 8
    assert len({each.content for each in done}) == 1
    assert {each.json()["error"]["code"] for each in waiting} <= {"idempotency_in_progress"}
    assert sum("idempotent-replayed" not in each.headers for each in done) == 1
    assert len(await world.events("user.created")) == 1
