"""Passwords: readable ones, and hashes that delay no other request."""

import asyncio
from uuid import UUID

import pytest

from conftest import World
from trilha.core import passwords
from trilha.core.errors import InternalError
from trilha.core.passwords import PASSWORDS, READABLE, generate_password, hash_password
from trilha.core.turns import Turns


def test_are_readable() -> None:
    made = {generate_password() for _ in range(50)}
    assert len(made) == 50
    assert all(len(each) == 16 and set(each) <= set(READABLE) for each in made)
    assert not set("0O1lI") & set(READABLE)


def test_hashes_are_argon2id() -> None:
    assert PASSWORDS.hash("correct horse").startswith("$argon2id$v=19$m=19456,t=2,p=1$")


async def test_hashes_differ_and_a_temporary_password_is_made_where_there_is_none() -> None:
    one, two, made = [await hash_password(each) for each in ("correct horse", "correct horse", None)]
    assert one.hash != two.hash
    assert one.temporary is None
    assert passwords.PASSWORDS.verify(made.hash, made.temporary or "")


async def test_too_many_are_sent_away_and_those_that_wait_are_served(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passwords, "MAX_WAITING", 5)
    monkeypatch.setattr(passwords, "_TURNS", Turns(1, 1))  # where no other hash is being computed
    outcomes = await asyncio.gather(*(hash_password("x") for _ in range(9)), return_exceptions=True)
    assert [isinstance(each, InternalError) for each in outcomes] == [False] * 5 + [True] * 4
    assert (await hash_password("x")).hash


async def test_who_waits_for_a_hash_holds_no_connection(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More people are created than there are connections, and a read is still answered."""
    held = asyncio.Event()
    before = passwords.hash_password

    async def held_up(password: str | None, tenant_id: UUID) -> passwords.HashedPassword:
        await held.wait()
        return await before(password, tenant_id)

    monkeypatch.setattr("trilha.people.users.api.hash_password", held_up)
    making = [
        asyncio.create_task(world.http.post("/v1/users", json={"email": f"p{n}@example.com", "name": "P"}))
        for n in range(40)
    ]
    answer = await asyncio.wait_for(world.http.get("/v1/users"), 10)
    assert (answer.status_code, answer.json()["data"]) == (200, [])
    held.set()
    assert {(await each).status_code for each in making} == {201}
