"""A course with a module of the type CLASS, and its classes over HTTP."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import httpx2

from conftest import World
from trilha.core.types import Timestamp
from trilha.training.classes.jobs import JUDGE_PRESENCE

HOUR = timedelta(hours=1)


class Classes:
    """A published course of one class module, and what tests ask of it."""

    def __init__(self, world: World, course_id: UUID, modules: list[UUID]) -> None:
        self.world = world
        self.course_id = course_id
        self.modules = modules

    @property
    def class_module(self) -> UUID:
        return self.modules[-1]

    def session(self, starts: float = 24, hours: float = 4, **members: Any) -> dict[str, Any]:
        """A session that starts so many hours from now."""
        begin = self.world.clock() + starts * HOUR
        times = {"starts_at": Timestamp.of(begin), "ends_at": Timestamp.of(begin + hours * HOUR)}
        return {**times, "time_zone": "America/Sao_Paulo", **members}

    async def post(self, path: str, **body: Any) -> httpx2.Response:
        return await self.world.http.post(f"/v1/{path}", json=body)

    async def create_response(self, *sessions: dict[str, Any], **members: Any) -> httpx2.Response:
        body = {
            "course_id": str(self.course_id),
            "module_id": str(self.class_module),
            "title": "Turma 1",
            "maximum_people": 10,
            "sessions": list(sessions) or [self.session()],
        }
        return await self.post("classes", **body | members)

    async def create(self, *sessions: dict[str, Any], **members: Any) -> dict[str, Any]:
        answer = await self.create_response(*sessions, **members)
        assert answer.status_code == 201, answer.text
        data: dict[str, Any] = answer.json()["data"]
        return data

    async def read(self, made: dict[str, Any]) -> dict[str, Any]:
        data: dict[str, Any] = (await self.world.http.get(f"/v1/classes/{made['id']}")).json()["data"]
        return data

    async def register_response(self, made: dict[str, Any], user_id: object) -> httpx2.Response:
        return await self.post(f"classes/{made['id']}/registrations", user_id=str(user_id))

    async def register(self, made: dict[str, Any], user_id: object = None) -> dict[str, Any]:
        user_id = user_id or (await self.world.user())["id"]
        answer = await self.register_response(made, user_id)
        assert answer.status_code == 201, answer.text
        data: dict[str, Any] = answer.json()["data"]
        return data

    async def unregister(self, registration: dict[str, Any], **body: Any) -> dict[str, Any]:
        path = f"classes/{registration['class_id']}/registrations/{registration['id']}/cancel"
        answer = await self.post(path, **body)
        assert answer.status_code == 200, answer.text
        data: dict[str, Any] = answer.json()["data"]
        return data

    async def list_registrations(self, made: dict[str, Any], **query: Any) -> list[dict[str, Any]]:
        path = f"/v1/classes/{made['id']}/registrations"
        answer = await self.world.http.get(path, params={"limit": 100} | query)
        assert answer.status_code == 200, answer.text
        data: list[dict[str, Any]] = answer.json()["data"]
        return data

    async def attend_response(self, session_id: str, *entries: dict[str, Any]) -> httpx2.Response:
        body = {"entries": list(entries)}
        return await self.world.http.put(f"/v1/sessions/{session_id}/attendance", json=body)

    async def attend(self, session_id: str, minutes: dict[str, int], **members: Any) -> list[dict[str, Any]]:
        entries = [{"user_id": user, "minutes": each} | members for user, each in minutes.items()]
        answer = await self.attend_response(session_id, *entries)
        assert answer.status_code == 200, answer.text
        data: list[dict[str, Any]] = answer.json()["data"]
        return data

    async def list_attendance(self, session_id: str) -> list[dict[str, Any]]:
        answer = await self.world.http.get(f"/v1/sessions/{session_id}/attendance")
        assert answer.status_code == 200, answer.text
        data: list[dict[str, Any]] = answer.json()["data"]
        return data

    async def judge(self) -> None:
        """Does what the worker does."""
        while await JUDGE_PRESENCE.run_in(self.world.database, self.world.tenant.id):
            pass

    async def enrollment(self, registration: dict[str, Any]) -> dict[str, Any]:
        answer = await self.world.http.get(f"/v1/enrollments/{registration['enrollment_id']}")
        data: dict[str, Any] = answer.json()["data"]
        return data


async def offer(world: World, *modules: dict[str, Any], percent: int = 100, **members: Any) -> Classes:
    """Creates a course of these modules and a class module after them."""
    last = {"title": "Prática", "type": "CLASS", "duration_minutes": 240, "presence_percent": percent}
    course_id = await world.course(modules=[*modules, last], **members)
    async with world.tx() as tx:
        rows = await tx.rows(
            "SELECT id FROM modules WHERE tenant_id = :tenant AND course_id = :course_id ORDER BY position",
            course_id=course_id,
        )
    return Classes(world, course_id, [row["id"] for row in rows])


def refusal(answer: httpx2.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]
