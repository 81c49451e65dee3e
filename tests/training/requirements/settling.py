"""Requirements of a tenant, and the worker that looks after them."""

from typing import Any
from uuid import UUID

from conftest import World
from training.learning_paths import following
from trilha.training.certificates import actions as certificates
from trilha.training.enrollments import actions as enrollments
from trilha.training.learning.completion.jobs import ISSUE_MISSING_CERTIFICATES
from trilha.training.requirements.jobs import JOBS

EVERYBODY: dict[str, Any] = {"all": []}


def by_title(title: str) -> dict[str, Any]:
    return {"field": "job_title", "op": "eq", "value": title}


async def settle(world: World) -> None:
    """Runs the worker until nothing is left."""
    done = 1
    while done:
        done = 0
        for job in JOBS:
            while count := await job.run_in(world.database, world.tenant.id):
                done += count
        await following.work(world)
        await ISSUE_MISSING_CERTIFICATES.run_in(world.database, world.tenant.id)


async def require(world: World, **members: Any) -> dict[str, Any]:
    """Creates a requirement through the API and lets the worker take it up."""
    body = {"title": "NR-35", "rule": EVERYBODY, "due_days": 10} | members
    if "learning_path_id" not in body:
        body["course_id"] = str(body.get("course_id") or await world.course())
    answer = await world.http.post("/v1/requirements", json=body)
    assert answer.status_code == 201, answer.text
    await settle(world)
    data: dict[str, Any] = answer.json()["data"]
    return data


async def standing(world: World, user_id: object) -> list[dict[str, Any]]:
    answer = await world.http.get(f"/v1/users/{user_id}/requirements")
    assert answer.status_code == 200, answer.text
    data: list[dict[str, Any]] = answer.json()["data"]
    return data


async def enrolled(world: World, user_id: object) -> list[dict[str, Any]]:
    """Returns the person's enrollments, the oldest first."""
    data: list[dict[str, Any]] = (await world.http.get(f"/v1/users/{user_id}/enrollments")).json()["data"]
    return data[::-1]


async def complete(world: World, enrollment_id: object) -> None:
    """Completes an enrollment without a player, with its certificate."""
    async with world.tx() as tx:
        id = UUID(str(enrollment_id))
        await enrollments.start(tx, id)
        completed = await enrollments.complete(tx, id)
        assert completed is not None
        await certificates.issue(tx, completed, None)
    await settle(world)


async def happened(world: World, prefix: str = "requirement.") -> list[tuple[str, str]]:
    """Returns the types of events, each with its person."""
    return [(type, data["user_id"]) for type, data in await world.events() if type.startswith(prefix)]
