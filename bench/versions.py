"""Two versions of Trilha side by side: each from its own checkout, with its own interpreter, on a database of
its own of the same server. Nothing of another version is imported; its command line makes its credentials."""

import asyncio
import base64
import json
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncpg

from bench.contestants import Contestant, answers, free_port
from bench.world import SMALL, TENANT, World, create_database, seed

SLUG = "bench"
SCOPES = (
    "users:read,courses:read,enrollments:read,enrollments:write,enrollments:bulk,analytics:read,"
    "webhooks:read,webhooks:write"
)


@dataclass(frozen=True)
class Version:
    """One checkout at work: its server as a contestant, a client of its token endpoint, its worker."""

    checkout: Path
    contestant: Contestant
    client: dict[str, str]

    @property
    def basic(self) -> str:
        joined = f"{self.client['client_id']}:{self.client['client_secret']}"
        return "Basic " + base64.b64encode(joined.encode()).decode()

    @contextmanager
    def worker(self) -> Iterator[None]:
        with _process(self.checkout, self.contestant.world, "work"):
            yield


@contextmanager
def running(checkout: Path, folder: Path, url: str, name: str) -> Iterator[Version]:
    """A new database of this name, like the other's, and the server of this checkout on it."""
    checkout, folder = checkout.resolve(), folder / name
    folder.mkdir()
    url = asyncio.run(create_database(url, name))
    world = World(SMALL, url, folder, key="")
    _command(checkout, world, "migrate")
    asyncio.run(seed(url, SMALL, (checkout / "bench" / "seed.sql").read_text()))
    made = ("--tenant", SLUG, "--name", "bench", "--json")
    key = json.loads(_command(checkout, world, "api-key", "create", *made, "--scopes", SCOPES))
    client = json.loads(_command(checkout, world, "oauth-client", "create", *made, "--scopes", "users:read"))
    world = World(SMALL, url, folder, key["key"])
    port = free_port()
    with _process(checkout, world, "serve", TRILHA_PORT=str(port)) as process:
        while not answers(port):
            if process.poll() is not None:
                raise RuntimeError((folder / "serve.log").read_text())
            time.sleep(0.05)
        yield Version(checkout, Contestant("ours", world, port), client)


def _environment(world: World) -> dict[str, str]:
    return world.environment() | {"TRILHA_NET_ALLOW": "127.0.0.0/8"}


def _command(checkout: Path, world: World, *arguments: str) -> str:
    done = subprocess.run(
        [checkout / ".venv/bin/python", "-m", "trilha", *arguments],
        cwd=checkout,
        env=_environment(world),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done.stdout


@contextmanager
def _process(
    checkout: Path, world: World, name: str, **variables: str
) -> Iterator["subprocess.Popen[bytes]"]:
    with (world.folder / f"{name}.log").open("wb") as log:
        process = subprocess.Popen(
            [checkout / ".venv/bin/python", "-m", "trilha", name],
            cwd=checkout,
            env=_environment(world) | variables,
            stdout=log,
            stderr=log,
        )
    try:
        yield process
    finally:
        process.terminate()
        process.wait(60)


async def execute(world: World, sql: str, *values: Any) -> None:
    connection = await asyncpg.connect(world.url)
    try:
        await connection.execute(sql, *values)
    finally:
        await connection.close()


async def happen(world: World, count: int) -> None:
    """So many events, as a change leaves them."""
    await execute(
        world,
        """
        INSERT INTO events (tenant_id, id, type, data, created_at)
        SELECT $1, gen_random_uuid(), 'user.updated', jsonb_build_object('user_id', $1::uuid), now()
        FROM generate_series(1, $2::int)
        """,
        TENANT,
        count,
    )
