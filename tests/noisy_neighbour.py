"""A tenant that causes as much load as it can: `python -m noisy_neighbour URL KEY COURSE`, in its own
process.

It has a hundred endpoints that never answer and replays all events to them, sends the largest bodies and
batches, makes the server hash passwords, and reads its lists again and again, all at the same time. It prints
a line once all of that is running. When its standard input ends, it prints one JSON object with the count of
each status. It has the lowest priority on the machine, because real clients would not use the server's
processors.
"""

import asyncio
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import aiohttp

_ENDPOINTS = 100
# The number of concurrent calls of each kind.
_AT_A_TIME = {"bulk": 4, "largest": 4, "password": 8, "walk": 4, "replay": 1}
_LARGEST = json.dumps({"enrollments": [{}] * 500_000}).encode()[: 2 * 1024 * 1024 - 64]


class Neighbour:
    def __init__(self, http: aiohttp.ClientSession, course: str) -> None:
        self._http = http
        self._course = course
        self._users: list[str] = []
        self._webhooks: list[str] = []
        self.statuses: Counter[int] = Counter()

    async def settle(self, port: int) -> None:
        """Creates people to enroll, and endpoints on a port where nobody answers."""
        for number in range(_ENDPOINTS):
            new = {
                "url": f"http://127.0.0.1:{port}/{number}",
                "events": ["user.created", "enrollment.created"],
            }
            self._webhooks.append((await self._json("POST", "/v1/webhooks", new))["data"]["id"])
        for _ in range(50):
            self._users.append((await self.password())["data"]["id"])

    async def bulk(self) -> None:
        people = [str(uuid4()) if n % 10 == 0 else self._users[n % len(self._users)] for n in range(1000)]
        pairs = [{"user_id": each, "course_id": self._course} for each in people]
        await self._json("POST", "/v1/enrollments/bulk", {"enrollments": pairs})

    async def largest(self) -> None:
        await self._json("POST", "/v1/enrollments/bulk", _LARGEST)

    async def password(self) -> Any:
        new = {"email": f"{uuid4().hex}@example.com", "name": "N", "password": "correct horse battery"}
        return await self._json("POST", "/v1/users", new)

    async def walk(self) -> None:
        for path in ("/v1/users", "/v1/enrollments", "/v1/events"):
            cursor: str | None = ""
            while cursor is not None:
                page = await self._json("GET", f"{path}?limit=100{cursor}")
                cursor = f"&cursor={page['next_cursor']}" if page.get("next_cursor") else None

    async def replay(self) -> None:
        now = datetime.now(UTC)
        span = {"since": (now - timedelta(days=29)).isoformat(), "until": now.isoformat()}
        for webhook in self._webhooks:
            await self._json("POST", f"/v1/webhooks/{webhook}/replay", span)

    async def again_and_again(self, act: Callable[[], Awaitable[Any]]) -> None:
        while True:
            await act()

    async def _json(self, method: str, path: str, body: Any = None) -> Any:
        raw = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        headers = {"content-type": "application/json"} if raw else {}
        async with self._http.request(method, path, data=raw, headers=headers) as answer:
            self.statuses[answer.status] += 1
            if answer.status == 503:  # as Retry-After asks
                await asyncio.sleep(float(answer.headers["retry-after"]))
            return await answer.json()


async def _never_answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while await reader.read(65536):
        pass
    writer.close()


async def main(url: str, key: str, course: str) -> None:
    receiver = await asyncio.start_server(_never_answer, "127.0.0.1", 0)
    limits = aiohttp.TCPConnector(limit=0)
    headers = {"authorization": f"Bearer {key}"}
    async with aiohttp.ClientSession(url, headers=headers, connector=limits) as http:
        neighbour = Neighbour(http, course)
        await neighbour.settle(receiver.sockets[0].getsockname()[1])
        tasks = [
            asyncio.create_task(neighbour.again_and_again(getattr(neighbour, name)))
            for name, many in _AT_A_TIME.items()
            for _ in range(many)
        ]
        print("open", flush=True)
        ending = asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
        done, _ = await asyncio.wait([ending, *tasks], return_when=asyncio.FIRST_COMPLETED)  # type: ignore[list-item]
        for each in done:
            each.result()
        for each in tasks:
            each.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    print(json.dumps(neighbour.statuses), flush=True)
    receiver.close()


@contextmanager
def noisy_neighbour(url: str, key: str, course: str) -> Iterator[Callable[[], dict[str, int]]]:
    """Runs the noisy tenant until the block ends. The yielded function ends it earlier, and returns the count
    of each status.
    """
    process = subprocess.Popen(
        [sys.executable, "-m", "noisy_neighbour", url, key, course],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": os.path.dirname(__file__)},
        start_new_session=True,
    )
    assert process.stdin
    assert process.stdout
    stdin, stdout = process.stdin, process.stdout

    def end() -> dict[str, int]:
        stdin.close()
        counted: dict[str, int] = json.loads(stdout.readline())
        return counted

    try:
        assert stdout.readline() == b"open\n"
        yield end
    finally:
        process.kill()
        process.wait(30)
        stdout.close()


def _come_last() -> None:
    """This process stands for other machines, which use none of the server's processors."""
    os.nice(19)
    # If Linux shares the processor among sessions first, niceness counts only within one session.
    with suppress(OSError), open("/proc/self/autogroup", "w") as file:
        file.write("19")


if __name__ == "__main__":
    _come_last()
    asyncio.run(main(*sys.argv[1:]))
