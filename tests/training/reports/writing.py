"""Changes enrollments in its own process until it is killed: `python -m reports.writing`, with JSON on its
input.

It prints a dot for each operation.
"""

import asyncio
import contextlib
import json
import random
import sys
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID

import httpx2

from training.reports.happenings import Client
from trilha.core.clock import system_clock
from trilha.core.database import CONFLICT_ERRORS, CONNECTION_ERRORS, Database
from trilha.core.database.logins import serving_urls
from trilha.core.secrets import Keyring


async def write(told: dict[str, Any]) -> None:
    keyring = Keyring([bytes.fromhex(told["key"])])
    database = Database(serving_urls(told["database"], keyring), system_clock, keyring, size=2)
    chance = random.Random(told["seed"])
    people, courses = [[UUID(each) for each in told[name]] for name in ("people", "courses")]
    while True:
        with contextlib.suppress(*CONNECTION_ERRORS):
            await database.open()
            break
    begin = partial(database.transaction, UUID(told["tenant"]))
    client = Client(begin, chance, people, courses)
    async with httpx2.AsyncClient(base_url=told["url"], headers=told["headers"], timeout=5) as http:
        while True:
            with contextlib.suppress(*CONNECTION_ERRORS, *CONFLICT_ERRORS, httpx2.HTTPError):
                if chance.random() < 0.2:
                    body = {"user_id": str(chance.choice(people)), "course_id": str(chance.choice(courses))}
                    if (await http.post("/v1/enrollments", json=body)).status_code >= 500:
                        continue  # it was killed during the operation, or does not exist yet
                else:
                    await client.do(timedelta(milliseconds=chance.randrange(50, 5000)))
                sys.stdout.write(".")
                sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(write(json.loads(sys.stdin.readline())))
