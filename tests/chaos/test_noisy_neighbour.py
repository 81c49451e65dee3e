"""While one tenant causes as much load as it can, another one reads, writes and receives webhooks almost as
if it were alone.

All of this runs on one machine with busy processors, so even a server that only queries the database becomes
slower. We measure that server in the same minute: its slowdown is the part that we cannot avoid. The client
of the noisy tenant stands for other machines, so it has the lowest priority (nice 19).
"""

import asyncio
import json
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import aiohttp
import pytest

from bare_server import bare_server
from noisy_neighbour import noisy_neighbour
from receiver import Receiver
from running import Running, running
from trilha.core.credentials import Scope

COURSE = "title: Um\nslug: um\nmodules:\n  - {title: A, duration_minutes: 5}\n"
LONG_SECONDS = int(os.environ.get("CHAOS_SECONDS", "40"))
PAUSE = 0.03
# How many times as long as without load the slowest hundredth may take, or else how many times the slowdown
# of the bare server, which has less to slow down. For first attempts: seconds.
TIMES, TIMES_BARE, FIRST_ATTEMPT = 3, 1.5, 1.0
BARE = "a bare server"


class Quiet:
    """A tenant that does a little of everything. Records the seconds of each operation by its name."""

    def __init__(self, trilha: Running, bare: str, key: str, course: str) -> None:
        self._trilha = trilha
        self._bare = bare
        self._key = key
        self._course = course
        self._receiver = Receiver([self._receive])
        self.happened: dict[str, float] = {}  # enrollment -> the time of its answer
        self.arrived: dict[str, float] = {}
        self.took: dict[str, list[float]] = {}

    async def run(self, seconds: float) -> None:
        server = await asyncio.start_server(self._receiver.serve, "127.0.0.1", 0)
        headers = {"authorization": f"Bearer {self._key}"}
        async with (
            aiohttp.ClientSession(self._trilha.url, headers=headers) as http,
            aiohttp.ClientSession(self._bare) as self._elsewhere,
        ):
            url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/hook"
            webhook = {"url": url, "events": ["enrollment.created"]}
            made = await self._call(http, "POST", "/v1/webhooks", webhook)
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                await self._turn(http)
                await asyncio.sleep(PAUSE)
            async with asyncio.timeout(60):
                while not self.happened.keys() <= self.arrived.keys():  # noqa: ASYNC110
                    await asyncio.sleep(0.05)
            await self._call(http, "DELETE", f"/v1/webhooks/{made['data']['id']}")
        server.close()

    async def _turn(self, http: aiohttp.ClientSession) -> None:
        new = {"email": f"{uuid4().hex}@example.com", "name": "Q", "password": "correct horse battery"}
        user = await self._timed("a new user", http, "POST", "/v1/users", new)
        wanted = {"user_id": user["data"]["id"], "course_id": self._course}
        made = await self._timed("writes", http, "POST", "/v1/enrollments", wanted)
        self.happened[made["data"]["id"]] = time.monotonic()
        for path in ("/v1/users?limit=20", f"/v1/users/{user['data']['id']}", "/v1/enrollments?limit=20"):
            await self._timed("reads", http, "GET", path)
            await self._timed(BARE, self._elsewhere, "GET", "/")

    async def _timed(self, what: str, http: aiohttp.ClientSession, *call: Any) -> Any:
        started = time.monotonic()
        answer = await self._call(http, *call)
        self.took.setdefault(what, []).append(time.monotonic() - started)
        return answer

    async def _call(self, http: aiohttp.ClientSession, method: str, path: str, body: Any = None) -> Any:
        async with http.request(method, path, json=body) as answer:
            assert answer.status in (200, 201, 204), await answer.text()
            return await answer.json(content_type=None) if answer.status != 204 else None

    async def _receive(self, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        told = json.loads(self._receiver.calls.pop().body)["data"]["enrollment_id"]
        self.arrived.setdefault(told, time.monotonic())
        writer.write(b"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n")
        await writer.drain()

    def slowest_hundredths(self) -> dict[str, float]:
        waited = [max(0.0, self.arrived[each] - moment) for each, moment in self.happened.items()]
        return {what: _slowest_hundredth(each) for what, each in (self.took | {"webhooks": waited}).items()}


def _slowest_hundredth(seconds: Sequence[float]) -> float:
    return sorted(seconds)[int(len(seconds) * 0.99)]


@pytest.mark.parametrize(
    "seconds",
    [1, pytest.param(LONG_SECONDS, marks=[pytest.mark.long, pytest.mark.timeout(3600)])],
    ids=["short", "long"],
)
def test_another_tenant_feels_little_of_it(tmp_path: Path, seconds: float) -> None:
    with running(tmp_path, TRILHA_NET_ALLOW="127.0.0.0/8") as trilha:
        quiet, noisy = (_tenant(trilha, tmp_path, slug) for slug in ("quiet", "noisy"))
        with bare_server(trilha.database_url()) as bare:
            alone, beside = Quiet(trilha, bare, *quiet), Quiet(trilha, bare, *quiet)
            asyncio.run(alone.run(seconds))
            # Every request is answered and every event arrives; otherwise `run` fails.
            with noisy_neighbour(trilha.url, *noisy) as end:
                asyncio.run(beside.run(seconds))
                statuses = end()
    assert statuses.keys() <= {"200", "201", "202", "400", "503"}, statuses
    assert statuses["201"]
    before, after = alone.slowest_hundredths(), beside.slowest_hundredths()
    print(f"the neighbour was answered {statuses}; p99 in ms, alone and beside it:")
    for what in before:
        print(f"{what}: {before[what] * 1000:.1f} {after[what] * 1000:.1f}", flush=True)
    if seconds == LONG_SECONDS:
        most = max(TIMES, TIMES_BARE * after[BARE] / before[BARE])
        slow = [each for each in ("reads", "writes", "a new user") if after[each] > most * before[each]]
        assert not slow, f"p99 above {most:.1f} times the undisturbed: {slow}"
        assert after["webhooks"] <= FIRST_ATTEMPT


def _tenant(trilha: Running, folder: Path, slug: str) -> tuple[str, str]:
    """Creates a tenant with a key that has every scope, and a course to enroll people in."""
    trilha.command("tenant", "create", "--slug", slug, "--name", slug)
    made = trilha.command("api-key", "create", "--tenant", slug, "--name", "k", "--scopes", ",".join(Scope))
    (folder / "course.yaml").write_text(COURSE)
    course = trilha.command(
        "course", "create", "--tenant", slug, "--file", str(folder / "course.yaml"), "--publish"
    )
    return made["key"], course["id"]
