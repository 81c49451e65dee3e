"""Personal documents, passwords and keys are stored nowhere in clear text: every possible place
is searched.
"""

import os
import random
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import asyncpg
import httpx2
import pytest
from validate_docbr import CNH, CPF

from conftest import NO_LIMIT, World
from trilha import app as trilha_app
from trilha.access.api_keys import actions as api_keys
from trilha.core import logs
from trilha.core.credentials import Scope
from trilha.core.database import Tx
from trilha.core.secrets import UnreadableSecret
from trilha.core.web.routes import Envelope, Routes
from trilha.feature import Feature
from trilha.people.users.schema import NewUser, User
from trilha.settings import Settings


class Person:
    """A person whose documents are unique in the run, so that every trace of them comes from this test."""

    def __init__(self) -> None:
        self.cpf = CPF().generate()
        self.cnh = CNH().generate()
        self.phone = f"119{random.randint(10_000_000, 99_999_999)}"
        self.birth_date = f"19{random.randint(30, 79)}-0{random.randint(1, 9)}-{random.randint(10, 28)}"
        self.password = f"secret-{random.randbytes(8).hex()}"

    def members(self) -> dict[str, Any]:
        p = self.phone
        return {
            "cpf": f"{self.cpf[:3]}.{self.cpf[3:6]}.{self.cpf[6:9]}-{self.cpf[9:]}",
            "phone": f"+55 ({p[:2]}) {p[2:7]}-{p[7:]}",
            "birth_date": self.birth_date,
            "cnh": {"numero": self.cnh, "categoria": "AB", "validade": "2099-01-31", "ear": True},
        }

    def spellings(self) -> set[str]:
        """Returns the spellings of a document: with and without punctuation, whole and in part."""
        members = self.members()
        year, month, day = self.birth_date.split("-")
        return {
            self.cpf,
            members["cpf"],
            self.cpf[:9],
            self.phone,
            self.phone[2:],
            members["phone"],
            f"{self.phone[2:7]}-{self.phone[7:]}",
            self.cnh,
            self.cnh[:9],
            self.password,
            self.birth_date,
            f"{day}/{month}/{year}",
            f"{year}{month}{day}",
        }


class Trail:
    """The sent clear texts, and everything that was answered or written."""

    def __init__(self) -> None:
        self.people = [Person() for _ in range(3)]
        self.shown_once: set[str] = set()
        self.errors: list[str] = []
        self.answers: list[str] = []
        self.log = ""

    def clear(self) -> set[str]:
        return self.shown_once.union(*(person.spellings() for person in self.people))


@pytest.fixture(params=["json", "text"])
async def trail(world: World, request: pytest.FixtureRequest, capfd: pytest.CaptureFixture[str]) -> Trail:
    """Creates, changes and refuses people with idempotency keys, creates and rotates API keys, and causes
    internal errors.
    """
    trail = Trail()
    logs.configure(request.param)
    first, second, third = trail.people
    try:
        made = await world.http.post(
            "/v1/users",
            json={"email": "a@example.com", "name": "Ana", **first.members()},
            headers={"idempotency-key": "made"},
        )
        trail.shown_once.add(made.json()["_meta"]["temporary_password"])
        user = made.json()["data"]["id"]
        given = {"email": "b@example.com", "name": "Bia", "password": second.password}
        assert (await world.http.post("/v1/users", json=given)).status_code == 201
        patched = await world.http.patch(f"/v1/users/{user}", json=second.members())
        assert patched.status_code == 200
        trail.answers = [patched.text, (await world.http.get("/v1/users")).text]
        trail.errors = [text async for text in refusals(world, third, user)]
        issued = await issue(world)
        trail.shown_once |= set(issued)
        for key in issued:
            await world.client(key).get("/v1/users")
            await world.client(key[:-1] + "!").get("/v1/users")
        trail.shown_once.add(world.http.headers["authorization"].removeprefix("Bearer "))
    finally:
        logs.configure("json")
    trail.log = capfd.readouterr().err
    return trail


async def issue(world: World) -> list[str]:
    async with world.tx() as tx:
        old = await api_keys.create(tx, "Test", ["users:read"], prefix="trl_live_")
        new = await api_keys.rotate(tx, old.api_key.id, prefix="trl_live_")
    return [old.key, new.key]


async def refusals(world: World, person: Person, user: str) -> AsyncIterator[str]:
    """Returns the answers to calls with documents that fail in every possible way."""
    members, headers = person.members(), {"idempotency-key": "refused"}
    taken = {"email": "a@example.com", "name": "Ana", "password": person.password, **members}
    for _ in range(2):
        yield (await world.http.post("/v1/users", json=taken, headers=headers)).text
    for broken in (
        {"cpf": members["cpf"][:-1]},
        {"phone": members["phone"] + "0"},
        {"birth_date": members["birth_date"] + "x"},
        {"cnh": members["cnh"] | {"numero": members["cnh"]["numero"] + "0"}},
        {"cpf": members["phone"], "phone": members["cpf"]},
        {"name": [members["cpf"]]},
        {"department": members["cpf"] * 30},
        {"shoe_size": members["cpf"]},
    ):
        yield (await world.http.post("/v1/users", json=taken | broken)).text
        yield (await world.http.patch(f"/v1/users/{user}", json=broken)).text
    yield (await world.http.get("/v1/users", params={"email": person.cpf})).text
    yield (await world.http.get(f"/v1/users/{person.cpf}")).text
    yield (await world.http.get(f"/v1/{person.cpf}/{person.phone}")).text
    yield (await world.http.post("/v1/users", content=f'{{"cpf": "{person.cpf}"')).text
    fault = await faulty(world).post("/v1/faults", json=taken)
    assert fault.status_code == 500
    yield fault.text


def faulty(world: World) -> httpx2.AsyncClient:
    """Returns a client of an application that fails with the sent text in its message."""
    faults = Routes("Faults", "A feature with a fault.")

    @faults.post("/faults", scope=Scope.USERS_WRITE)
    async def quote(tx: Tx, data: NewUser) -> Envelope[User]:
        """Fails."""
        raise RuntimeError(f"cannot do this with {data}")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trilha_app, "FEATURES", (*trilha_app.FEATURES, Feature(name="test", v1=[faults])))
        app = trilha_app.create_app(Settings(limit_v1=NO_LIMIT), world.database, world.clock)
    return world.client(world.http.headers["authorization"].removeprefix("Bearer "), app)


def found(clear: set[str], text: str) -> list[str]:
    return [each for each in clear if each in text]


async def test_not_in_any_row_of_any_table(
    world: World, trail: Trail, tmp_path: Path, admin_url: str
) -> None:
    owner = await asyncpg.connect(admin_url)
    tables = await owner.fetch(
        """
        SELECT oid::regclass::text AS name FROM pg_class
        WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'm')
        """
    )
    assert {"users", "events", "idempotency_keys", "api_key_secrets"} <= {table["name"] for table in tables}
    known = "a@example.com"
    for table in tables:
        name = table["name"]
        # For so many texts at once, PostgreSQL needs fifty times as long as grep.
        await owner.copy_from_query(f"SELECT t::text FROM {name} t", output=tmp_path / "rows")
        texts = occurring({known, *trail.clear()}, str(tmp_path))
        assert texts <= {known}, name
        assert known in texts or name != "users"
    await owner.close()


async def test_not_in_the_database_files(
    world: World, trail: Trail, other_server: str | None, admin_url: str
) -> None:
    owner = await asyncpg.connect(admin_url)
    await owner.execute("CHECKPOINT")
    folder = await owner.fetchval("SHOW data_directory")
    await owner.close()
    if other_server:
        pytest.skip("the server may be on another machine")
    known = world.tenant.slug
    # A number of only eight digits occurs by chance in so many bytes.
    clear = {each for each in trail.clear() if not (each.isdigit() and len(each) < 9)}
    assert occurring({known, *clear}, folder) == {known}


def occurring(texts: set[str], folder: str) -> set[str]:
    """Returns the texts that occur in the folder's files."""
    done = subprocess.run(
        [
            "grep",
            "--recursive",
            "--text",
            "--no-filename",
            "--only-matching",
            "--fixed-strings",
            "-f-",
            folder,
        ],
        input="\n".join(texts).encode(),
        capture_output=True,
        check=False,
        env={"LC_ALL": "C", "PATH": os.environ["PATH"]},
    )
    return set(done.stdout.decode().split("\n")) - {""}


async def test_not_in_the_logs(trail: Trail) -> None:
    assert "POST /v1/users" in trail.log
    assert "unexpected failure" in trail.log
    assert found(trail.clear(), trail.log) == []


async def test_not_in_errors(trail: Trail) -> None:
    assert len(trail.errors) == 23
    assert all('"error"' in text for text in trail.errors)
    assert found(trail.clear(), "\n".join(trail.errors)) == []


async def test_not_in_answers(trail: Trail) -> None:
    text = "\n".join(trail.answers)
    assert "***.***.***-" in text
    assert found(trail.clear(), text) == []


async def test_not_in_events_not_even_masked(world: World, trail: Trail) -> None:
    events = str(await world.events())
    assert "user.created" in events
    assert "user.updated" in events
    assert found(trail.clear(), events) == []
    assert "***" not in events


async def test_a_sealed_document_opens_in_its_own_row_alone(world: World, trail: Trail) -> None:
    async with world.tx() as tx:
        (row,) = await tx.rows(
            "SELECT id, cpf_sealed FROM users WHERE tenant_id = :tenant AND cpf IS NOT NULL"
        )
        sealed = row["cpf_sealed"]
        assert tx.keyring.open(sealed, tx.tenant_id, "users", row["id"], "cpf") == trail.people[1].cpf
        for place in (
            (tx.tenant_id, "users", row["id"], "phone"),
            (tx.tenant_id, "users", world.tenant.id, "cpf"),
            (row["id"], "users", row["id"], "cpf"),
        ):
            with pytest.raises(UnreadableSecret):
                tx.keyring.open(sealed, *place)
