"""A ticket is valid once, whichever of four processes is called."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import UUID, uuid4

import httpx2
import pytest

from access.sso.federation import request_of
from running import Running, running
from spread import spread_over
from trilha.access.sso import queries, tickets
from trilha.access.sso.browser import find
from trilha.access.sso.rules import new_secret
from trilha.access.sso.schema import FederatedIdentity
from trilha.core.clock import system_clock
from trilha.core.database import Database
from trilha.core.database.logins import serving_urls
from trilha.core.secrets import load_keyring
from trilha.core.types import Email, Name
from trilha.people.users import actions as users
from trilha.people.users.schema import NewUser

PROCESSES, TIMES = 4, 50
NOBODY = FederatedIdentity(subject="s", email=None, email_verified=None, name=None, attributes={})


class Served:
    def __init__(self, server: Running, database: Database) -> None:
        self.server = server
        self.database = database
        tenant = server.command("tenant", "create", "--slug", "acme", "--name", "Acme")
        self.tenant_id = UUID(tenant["id"])
        self.browser = new_secret()

    async def ticket(self) -> str:
        own = find(request_of(self.client()), self.database.keyring)
        assert own is not None
        async with self.database.transaction(self.tenant_id) as tx:
            connection = await queries.insert(tx, {"kind": "OIDC", "name": "A", "enabled": True}, [])
            new = NewUser(email=Email.parse(f"{uuid4().hex}@acme.test"), name=Name("Ana"))
            user = await users.create(tx, new, None)
            return await tickets.issue(tx, user, connection, own, NOBODY)

    def client(self) -> httpx2.AsyncClient:
        client = httpx2.AsyncClient(base_url=self.server.url)
        client.cookies.set("__Host-sso_b", self.browser)
        return client

    async def sessions(self) -> int:
        async with self.database.transaction(self.tenant_id, read_only=True) as tx:
            count: int = await tx.value("SELECT count(*) FROM sessions WHERE tenant_id = :tenant")
        return count


@pytest.fixture(scope="module")
async def served(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    folder: Path = tmp_path_factory.mktemp("tickets")
    with running(folder, TRILHA_WORKERS=str(PROCESSES), TRILHA_POOL_SIZE="8") as server:
        keyring = load_keyring(folder / "data" / "master.key")
        database = Database(serving_urls(server.database_url(), keyring), system_clock, keyring, size=2)
        await database.open()
        yield Served(server, database)
        await database.close()


async def test_fifty_at_once_in_four_processes_give_one_session(served: Served) -> None:
    cookie = {"cookie": f"sso_b={served.browser}"}
    async with spread_over(served.server, PROCESSES, TIMES, cookie) as clients:
        for _ in range(5):
            ticket = await served.ticket()
            asked = [each.post("/api/sso/exchange", json={"ticket": ticket}) for each in clients]
            answers = await asyncio.gather(*asked)
            assert sorted(each.status_code for each in answers)[:2] == [200, 401]
            assert await served.sessions() == 1
            # An attempt from another browser, at any process, invalidates it.
            stolen = await clients[0].post(
                "/api/sso/exchange", json={"ticket": ticket}, headers={"cookie": f"sso_b={new_secret()}"}
            )
            assert stolen.status_code == 401
            assert await served.sessions() == 0
            (first,) = [each.json()["session_token"] for each in answers if each.status_code == 200]
            bearer = {"authorization": f"Bearer {first}"}
            assert (await clients[-1].get("/api/auth/session", headers=bearer)).status_code == 401
