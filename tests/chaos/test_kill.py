"""Kills processes at any point: answered changes are kept, and unanswered ones were made once or never."""

import asyncio
import contextlib
import os
import random
from pathlib import Path
from uuid import uuid4

import asyncpg
import httpx2
import psutil
import pytest

from chaos.insisting import insist
from running import Running, running, wait_until

COURSE = "title: Um\nslug: um\nmodules:\n  - {title: A, duration_minutes: 5}\n"
CLIENTS = 8
LONG_ROUNDS = int(os.environ.get("CHAOS_ROUNDS", "100"))


@pytest.mark.parametrize(
    "rounds",
    [3, pytest.param(LONG_ROUNDS, marks=[pytest.mark.long, pytest.mark.timeout(3600)])],
)
def test_nothing_is_lost_or_doubled(tmp_path: Path, rounds: int) -> None:
    chance = random.Random(7)
    with running(tmp_path, TRILHA_WORKERS="2") as trilha:
        trilha.command("tenant", "create", "--slug", "acme", "--name", "Acme")
        scopes = "users:write,users:read,enrollments:write,enrollments:bulk,enrollments:read"
        made = trilha.command("api-key", "create", "--tenant", "acme", "--name", "k", "--scopes", scopes)
        (tmp_path / "course.yaml").write_text(COURSE)
        course = trilha.command(
            "course", "create", "--tenant", "acme", "--file", str(tmp_path / "course.yaml"), "--publish"
        )
        headers = {"authorization": f"Bearer {made['key']}"}
        answered: set[str] = set()
        for number in range(rounds):
            victims = chance.choice([trilha.children("serve")[1:], [trilha.postmaster()]])
            asyncio.run(_write(trilha, headers, course["id"], answered, victims, chance.uniform(0, 0.6)))
            wait_until(trilha.is_ready)
            print(f"round {number + 1} of {rounds}: {len(answered)} enrolled", flush=True)
        asyncio.run(_check(tmp_path, answered))


async def _write(
    trilha: Running,
    headers: dict[str, str],
    course: str,
    answered: set[str],
    victims: list[psutil.Process],
    after: float,
) -> None:
    """Runs clients that enroll new people. Each call is repeated under its key until it is answered."""
    stop = asyncio.Event()

    async def client() -> None:
        async with httpx2.AsyncClient(base_url=trilha.url, headers=headers, timeout=5) as http:
            while not stop.is_set():
                new = {"email": f"{uuid4().hex}@example.com", "name": "A"}
                user = await insist(http, "/v1/users", new)
                body = {"user_id": user.json()["data"]["id"], "course_id": course}
                enrollment = await insist(http, "/v1/enrollments", body)
                answered.add(enrollment.json()["data"]["id"])

    clients = [asyncio.create_task(client()) for _ in range(CLIENTS)]
    await asyncio.sleep(after)
    for each in victims:
        with contextlib.suppress(psutil.NoSuchProcess):
            each.kill()
    await asyncio.sleep(0.3)
    stop.set()
    await asyncio.gather(*clients)


async def _check(folder: Path, answered: set[str]) -> None:
    connection = await asyncpg.connect(f"postgresql://postgres@/postgres?host={_sockets(folder)}")
    try:
        stored = {str(row["id"]) for row in await connection.fetch("SELECT id FROM enrollments")}
        told = [
            row["id"]
            for row in await connection.fetch(
                "SELECT data ->> 'enrollment_id' AS id FROM events WHERE type = 'enrollment.created'"
            )
        ]
        users = await connection.fetchval("SELECT count(*) FROM users")
        welcomed = await connection.fetchval("SELECT count(*) FROM events WHERE type = 'user.created'")
    finally:
        await connection.close()
    assert answered
    assert stored == answered
    assert sorted(told) == sorted(answered)
    assert (users, welcomed) == (len(answered), len(answered))


def _sockets(folder: Path) -> str:
    lines = (folder / "data" / "postgres" / "postmaster.pid").read_text().splitlines()
    return lines[4]
