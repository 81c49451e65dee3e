"""Calls that return the error codes of requests for enrollment."""

from collections.abc import Mapping
from uuid import uuid4

import httpx2

from conftest import World
from contract.quiz_calls import Call
from trilha.training.enrollment_requests.actions import MAX_A_DAY


async def ask(world: World, policy: str, times: int = 1) -> httpx2.Response:
    """Asks for a course with this policy, several times, and returns the last answer."""
    user, course = await world.user(), await world.course(self_enrollment=policy)
    for _ in range(times):
        answer = await world.http.post(
            f"/v1/users/{user['id']}/enrollment-requests", json={"course_id": str(course)}
        )
    return answer


async def _decide_twice(world: World) -> httpx2.Response:
    request = (await ask(world, "APPROVAL")).json()["data"]
    path = f"/v1/enrollment-requests/{request['id']}"
    await world.http.post(f"{path}/reject", json={"reason": "Faça antes a NR-06."})
    return await world.http.post(f"{path}/approve")


async def _ask_for_too_many(world: World) -> httpx2.Response:
    user = await world.user()
    for _ in range(MAX_A_DAY + 1):
        course = await world.course(self_enrollment="APPROVAL")
        path = f"/v1/users/{user['id']}/enrollment-requests"
        answer = await world.http.post(path, json={"course_id": str(course)})
    return answer


CATALOG_CALLS: Mapping[str, Call] = {
    "enrollment_request_not_found": lambda world: world.http.get(f"/v1/enrollment-requests/{uuid4()}"),
    "enrollment_already_requested": lambda world: ask(world, "APPROVAL", 2),
    "enrollment_request_decided": _decide_twice,
    "too_many_enrollment_requests": _ask_for_too_many,
    "self_enrollment_closed": lambda world: ask(world, "CLOSED"),
}
