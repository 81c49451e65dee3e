"""Kills serving processes and the database while statements are stored and read. No acknowledged statement is
lost, none is stored twice, and a reader that follows them misses none.
"""

import asyncio
import contextlib
import os
import random
from collections import Counter
from pathlib import Path
from uuid import uuid4

import httpx2
import psutil
import pytest

from running import Running, running, wait_until
from training.xapi.clients import statement

WRITERS, TOGETHER = 6, 5
LONG_KILLS = int(os.environ.get("CHAOS_XAPI_KILLS", "40"))


@pytest.mark.parametrize(
    "kills", [3, pytest.param(LONG_KILLS, marks=[pytest.mark.long, pytest.mark.timeout(3600)])]
)
def test_no_acknowledged_statement_is_lost(tmp_path: Path, kills: int) -> None:
    with running(tmp_path, TRILHA_WORKERS="2", TRILHA_LIMIT_XAPI="10000000/1m") as trilha:
        trilha.command("tenant", "create", "--slug", "acme", "--name", "Acme")
        scopes = ("--scopes", "xapi:read,xapi:write")
        key = trilha.command("xapi-key", "create", "--tenant", "acme", "--name", "k", *scopes)
        asyncio.run(_Load(trilha, (key["key"], key["secret"])).run(kills))


class _Load:
    """Clients that write and one that reads, each until its request is answered."""

    def __init__(self, trilha: Running, key: tuple[str, str]) -> None:
        self.trilha = trilha
        self.key = key
        self.acknowledged: set[str] = set()
        self.followed: set[str] = set()
        self.is_over = False
        self.has_stopped = False  # no writer waits for an answer anymore

    async def run(self, kills: int) -> None:
        writers = [asyncio.create_task(self.write()) for _ in range(WRITERS)]
        reader = asyncio.create_task(self.follow())
        await self.kill(kills)
        self.is_over = True
        await asyncio.gather(*writers)
        self.has_stopped = True
        await reader
        assert self.acknowledged
        assert await self.list_ids() == Counter(self.acknowledged)
        assert self.followed == self.acknowledged

    def client(self) -> httpx2.AsyncClient:
        headers = {"x-experience-api-version": "2.0.0"}
        return httpx2.AsyncClient(base_url=self.trilha.url, headers=headers, auth=self.key, timeout=10)

    async def insist(
        self, http: httpx2.AsyncClient, method: str, path: str, **options: object
    ) -> httpx2.Response:
        """Sends a request again until it is answered."""
        while True:
            with contextlib.suppress(httpx2.TransportError):
                answer = await http.request(method, path, **options)
                if answer.status_code < 500:
                    assert answer.status_code == 200, answer.text
                    return answer
            await asyncio.sleep(0.05)

    async def write(self) -> None:
        async with self.client() as http:
            while not self.is_over:
                batch = [statement(id=str(uuid4())) for _ in range(random.randrange(1, TOGETHER))]
                await self.insist(http, "POST", "/xapi/statements", json=batch)
                self.acknowledged |= {each["id"] for each in batch}

    async def follow(self) -> None:
        """Reads every page, and goes on from the consistent time of the first page."""
        since = "1970-01-01T00:00:00Z"
        async with self.client() as http:
            while True:
                # What is acknowledged by now is in this walk or in an earlier one.
                expected, is_last = set(self.acknowledged), self.has_stopped
                parameters = {"since": since, "ascending": "true", "limit": "20"}
                answer = await self.insist(http, "GET", "/xapi/statements", params=parameters)
                since = answer.headers["x-experience-api-consistent-through"]
                newest = ""
                while True:
                    page = answer.json()
                    times = [each["stored"] for each in page["statements"]]
                    assert times == sorted(times)
                    assert not times or newest < times[0]
                    newest = times[-1] if times else newest
                    self.followed |= {each["id"] for each in page["statements"]}
                    if not page["more"]:
                        break
                    answer = await self.insist(http, "GET", page["more"])
                assert expected <= self.followed
                if is_last:
                    return

    async def kill(self, kills: int) -> None:
        chance = random.Random(7)
        for number in range(1, kills + 1):
            await asyncio.sleep(6 if number % 10 == 0 else chance.uniform(0.2, 1.5))
            victims = chance.choice([self.trilha.children("serve")[1:], [self.trilha.postmaster()]])
            for each in victims:
                with contextlib.suppress(psutil.NoSuchProcess):
                    each.kill()
            await asyncio.to_thread(psutil.wait_procs, victims, 30)
            await asyncio.to_thread(wait_until, self.is_whole)
            print(f"{number} of {kills} killed: {len(self.acknowledged)} acknowledged", flush=True)

    def is_whole(self) -> bool:
        """Returns whether the database runs again, too: servers notice its end a little later."""
        try:
            self.trilha.postmaster()
        except (psutil.NoSuchProcess, FileNotFoundError, IndexError):
            return False
        return self.trilha.is_ready()

    async def list_ids(self) -> Counter[str]:
        ids: Counter[str] = Counter()
        async with self.client() as http:
            answer = await self.insist(http, "GET", "/xapi/statements?limit=500")
            while True:
                ids.update(each["id"] for each in answer.json()["statements"])
                if not answer.json()["more"]:
                    return ids
                answer = await self.insist(http, "GET", answer.json()["more"])
