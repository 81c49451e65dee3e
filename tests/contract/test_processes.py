"""Four processes: what must happen once happens once, whichever of them is called."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from running import Running, running
from spread import spread_over

PROCESSES = 4
CLIENTS = 50
# How often each client calls. The short form calls more than once, too.
times = pytest.mark.parametrize("times", [2, pytest.param(8, marks=pytest.mark.long)])
COURSE = "title: Um\nslug: um\nmodules:\n  - {title: A, duration_minutes: 5}\n"
SCOPES = "users:read,users:write,enrollments:read,enrollments:write,webhooks:read"


class Served:
    def __init__(self, server: Running) -> None:
        self.server = server
        server.command("tenant", "create", "--slug", "acme", "--name", "Acme")
        made = server.command("api-key", "create", "--tenant", "acme", "--name", "k", "--scopes", SCOPES)
        self.headers = {"authorization": f"Bearer {made['key']}"}
        file = server.folder / "course.yaml"
        file.write_text(COURSE)
        course = server.command("course", "create", "--tenant", "acme", "--file", str(file), "--publish")
        self.course: str = course["id"]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder: Path = tmp_path_factory.mktemp("processes")
    with running(
        folder, TRILHA_WORKERS=str(PROCESSES), TRILHA_POOL_SIZE="8", TRILHA_KEEP_ALIVE="60"
    ) as server:
        yield Served(server)


async def data_of(client: httpx2.AsyncClient, path: str) -> Any:
    answer = await client.get(path)
    assert answer.status_code == 200, answer.text
    return answer.json()["data"]


@times
async def test_an_enrollment_asked_for_by_everybody_is_made_once(served: Served, times: int) -> None:
    async with spread_over(served.server, PROCESSES, CLIENTS, served.headers) as clients:
        new = {"email": f"ana{times}@example.com", "name": "Ana", "password": "correct horse"}
        user = (await clients[0].post("/v1/users", json=new)).json()["data"]["id"]
        body = {"user_id": user, "course_id": served.course}

        async def ask(client: httpx2.AsyncClient) -> list[httpx2.Response]:
            return [await client.post("/v1/enrollments", json=body) for _ in range(times)]

        answers = [each for some in await asyncio.gather(*map(ask, clients)) for each in some]
        assert Counter(each.status_code for each in answers) == {201: 1, 409: len(answers) - 1}
        (made,) = [each.json()["data"] for each in answers if each.status_code == 201]
        refused = [each.json()["error"] for each in answers if each.status_code == 409]
        assert {error["code"] for error in refused} == {"already_enrolled"}
        assert all(error["detail"] == {"existing_enrollment": made} for error in refused)
        assert [each["id"] for each in await data_of(clients[0], f"/v1/enrollments?user_id={user}")] == [
            made["id"]
        ]
        events = await data_of(clients[0], "/v1/events?type=enrollment.created")
        of_user = [each["data"] for each in events if each["data"]["user_id"] == user]
        assert [each["enrollment_id"] for each in of_user] == [made["id"]]


@times
async def test_one_idempotency_key_runs_once(served: Served, times: int) -> None:
    """A call during the first one is told so; all others get the first one's answer."""
    headers = served.headers | {"idempotency-key": f"once-{times}"}
    async with spread_over(served.server, PROCESSES, CLIENTS, headers) as clients:
        body = {"email": f"bia{times}@example.com", "name": "Bia"}

        async def ask(client: httpx2.AsyncClient) -> list[httpx2.Response]:
            return [await client.post("/v1/users", json=body) for _ in range(times)]

        answers = [each for some in await asyncio.gather(*map(ask, clients)) for each in some]
        made = [each for each in answers if each.status_code == 201]
        assert len([each for each in made if "idempotent-replayed" not in each.headers]) == 1
        # It contains the generated password, so a second run would be visible.
        assert len({each.content for each in made}) == 1
        others = {each.json()["error"]["code"] for each in answers if each.status_code != 201}
        assert others <= {"idempotency_in_progress"}
        events = await data_of(clients[0], "/v1/events?type=user.created")
        assert len([each for each in events if each["data"]["user_id"] == made[0].json()["data"]["id"]]) == 1
