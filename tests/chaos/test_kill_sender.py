"""Kills the worker or PostgreSQL at each point of a delivery: every committed event arrives, and no event of
a rolled-back change does.

A delivery that arrives twice was in progress at the kill, and keeps its id. In each round, a change that is
never committed is in progress.
"""

import asyncio
import contextlib
import json
import os
import time
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import asyncpg
import httpx2
import psutil
import pytest

from chaos.insisting import insist
from receiver import Receiver
from running import Running, running, wait_until
from trilha.core.clock import system_clock
from trilha.core.database import Database
from trilha.core.database.logins import serving_urls
from trilha.core.secrets import load_keyring
from trilha.platform.webhooks import jobs

POINTS = ("relaying", "claiming", "sending", "answered", "settling", "postgres")
LONG_ROUNDS = int(os.environ.get("CHAOS_ROUNDS", "100"))
EVENTS = 12
# A delivery that arrived this long before a kill has its result recorded, because an attempt takes at most a
# second.
UNSETTLED_SECONDS = 2.0
STARTS_WITHIN = 30.0  # seconds
# Errors of a connection whose server was killed. The last one occurs when the message arrives in part.
LOST = (asyncpg.PostgresError, asyncpg.InterfaceError, OSError, asyncpg.InternalClientError)


@pytest.mark.parametrize(
    "rounds",
    [len(POINTS), pytest.param(LONG_ROUNDS, marks=[pytest.mark.long, pytest.mark.timeout(3600)])],
)
def test_every_event_arrives(tmp_path: Path, rounds: int) -> None:
    # A lease takes three times as long, so that the deliveries of a killed worker are soon free again.
    with running(tmp_path, TRILHA_NET_ALLOW="127.0.0.0/8", TRILHA_WEBHOOK_TIMEOUT="1") as trilha:
        asyncio.run(_Loop(trilha).run(rounds))


class _Loop:
    def __init__(self, trilha: Running) -> None:
        self.trilha = trilha
        self.receiver = Receiver([self._answer])
        self.arrived: dict[str, set[str]] = defaultdict(set)  # event of a user -> ids of its deliveries
        self.times: dict[str, list[float]] = defaultdict(list)
        # deliveries that arrived between these two times may arrive again
        self.cuts: list[tuple[float, float]] = []
        self.happened: set[str] = set()
        self.undone: set[str] = set()
        self.tenant = ""
        self.point = ""
        self.shot = asyncio.Event()
        self.lock = contextlib.AsyncExitStack()

    async def run(self, rounds: int) -> None:
        server = await asyncio.start_server(self.receiver.serve, "127.0.0.1", 0)
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/hook"
        trilha = self.trilha
        self.tenant = trilha.command("tenant", "create", "--slug", "acme", "--name", "Acme")["id"]
        scopes = "users:write,webhooks:write,webhooks:read"
        key = trilha.command("api-key", "create", "--tenant", "acme", "--name", "k", "--scopes", scopes)[
            "key"
        ]
        headers = {"authorization": f"Bearer {key}"}
        async with httpx2.AsyncClient(base_url=trilha.url, headers=headers, timeout=30) as http:
            new = {"url": url, "events": ["user.suspended"]}
            webhook = (await http.post("/v1/webhooks", json=new)).json()["data"]["id"]
            for number in range(rounds):
                async with self._never_committed():
                    await self._round(http, POINTS[number % len(POINTS)])
                print(f"round {number + 1} of {rounds}: {len(self.happened)} events", flush=True)
            await self._until(lambda: self.happened <= self.arrived.keys())
            await self._check_history(http, f"/v1/webhooks/{webhook}/deliveries?limit=100")
        assert len(self.undone) == rounds
        assert self.arrived.keys().isdisjoint(self.undone), "an event of a change that was rolled back"
        assert self.arrived.keys() == self.happened, "an event of a change that never was"
        assert {len(ids) for ids in self.arrived.values()} == {1}, "a delivery changed its id"
        again = [moment for moments in self.times.values() for moment in sorted(moments)[:-1]]
        print(f"{len(again)} arrived again, all cut off by one of {len(self.cuts)} kills")
        for moment in again:
            assert any(since <= moment <= until for since, until in self.cuts), "sent again without need"
        server.close()

    async def _check_history(self, http: Any, address: str) -> None:
        """Checks that a delivery that arrived more than once has one success on record, after which it was
        not sent again.
        """
        cursor, seen = "", 0
        while cursor is not None:
            page = (await http.get(address + cursor)).json()
            for delivery in page["data"]:
                succeeded = [each for each in delivery["attempt_log"] if each["http_status"] == 204]
                assert len(succeeded) <= 1, delivery
                seen += 1
            cursor = page["next_cursor"] and f"&cursor={page['next_cursor']}"
        assert seen == len(self.happened)

    async def _connected(self) -> Any:
        """Connects as soon as the server that the last round killed is running again."""
        end = time.monotonic() + STARTS_WITHIN
        while True:
            try:
                return await asyncpg.connect(self._url())
            except LOST:
                if time.monotonic() > end:
                    raise
                await asyncio.sleep(0.1)

    @asynccontextmanager
    async def _never_committed(self) -> AsyncIterator[None]:
        """Makes a change with an event that is open at the kill and rolled back afterward."""
        connection = await self._connected()
        change = connection.transaction()
        await change.start()
        user = str(uuid4())
        await connection.execute(
            """
            INSERT INTO events (tenant_id, id, type, data, created_at)
            VALUES ($1, gen_random_uuid(), 'user.suspended', $2, now())
            """,
            self.tenant,
            json.dumps({"user_id": user}),
        )
        self.undone.add(user)
        try:
            yield
        finally:
            # If the database was killed, it has rolled the change back already.
            with contextlib.suppress(*LOST):
                await change.rollback()
            connection.terminate()

    async def _round(self, http: Any, point: str) -> None:
        await self._until(lambda: bool(self.trilha.children("work")))
        (worker,) = self.trilha.children("work")
        self.shot.clear()
        self.point = ""
        match point:
            case "relaying":
                async with self._locked():
                    await self._happen(http)
                    await self._blocked()
                    self._shoot(worker)
            case "claiming":
                worker.suspend()
                await self._happen(http)
                await self._relay()
                async with self._locked():
                    worker.resume()
                    await self._blocked()
                    self._shoot(worker)
            case _:
                self.point = point
                await self._happen(http)
                await asyncio.wait_for(self.shot.wait(), 30)
        await asyncio.to_thread(wait_until, self.trilha.is_ready)
        if point == "postgres":
            # The worker survived, but could not record anything until now.
            self.cuts.append((self.cuts[-1][0], time.monotonic()))

    async def _happen(self, http: Any) -> None:
        """Creates and suspends users. An answered change has happened."""

        async def one() -> None:
            new = {"email": f"{uuid4().hex}@example.com", "name": "A", "password": "correct horse"}
            user = await insist(http, "/v1/users", new)
            id = user.json()["data"]["id"]
            await insist(http, f"/v1/users/{id}/suspend", None)
            self.happened.add(id)

        await asyncio.gather(*(one() for _ in range(EVENTS)))

    async def _answer(self, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        call = self.receiver.calls.pop()
        user = json.loads(call.body)["data"]["user_id"]
        point, self.point = self.point, ""
        if point in ("sending", "postgres"):
            self._kill(point)
        self.arrived[user].add(call.headers["x-service-delivery-id"])
        self.times[user].append(time.monotonic())
        if point == "settling":
            async with self._locked():
                await self._reply(writer)
                await self._blocked()
                self._kill(point)
            return
        await self._reply(writer)
        if point == "answered":
            self._kill(point)

    async def _reply(self, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            writer.write(b"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n")
            await writer.drain()

    def _kill(self, point: str) -> None:
        victims = [self.trilha.postmaster()] if point == "postgres" else self.trilha.children("work")
        self._shoot(*victims)
        self.shot.set()

    def _shoot(self, *victims: psutil.Process) -> None:
        for each in victims:
            with contextlib.suppress(psutil.NoSuchProcess):
                each.kill()
        # Data that was written to a socket earlier is read a little later.
        now = time.monotonic()
        self.cuts.append((now - UNSETTLED_SECONDS, now + 0.5))

    @asynccontextmanager
    async def _locked(self) -> AsyncIterator[None]:
        """Locks the delivery, so that no process changes it meanwhile."""
        connection = await asyncpg.connect(self._url())
        try:
            async with connection.transaction():
                await connection.execute("LOCK TABLE webhook_deliveries IN SHARE MODE")
                yield
        finally:
            await connection.close()

    async def _blocked(self) -> None:
        """Waits until a process waits for that lock."""
        connection = await asyncpg.connect(self._url())
        waiting = "SELECT FROM pg_locks WHERE relation = 'webhook_deliveries'::regclass AND NOT granted"
        while not await connection.fetch(waiting):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        await connection.close()

    async def _relay(self) -> None:
        keyring = load_keyring(self.trilha.folder / "data" / "master.key", make=False)
        database = Database(serving_urls(self._url(), keyring), system_clock, keyring)
        await database.open()
        while await jobs.RELAY.run_once(database):
            pass
        await database.close()

    def _url(self) -> str:
        lines = (self.trilha.folder / "data" / "postgres" / "postmaster.pid").read_text().splitlines()
        return f"postgresql://postgres@/postgres?host={lines[4]}"

    async def _until(self, true: Any) -> None:
        await asyncio.to_thread(wait_until, true, 60)
