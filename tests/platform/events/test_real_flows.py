"""Every event about people's actions is emitted through a real interface, once.

A page, the API, a command, a report of the player, or the worker.
"""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from uuid import UUID

import httpx2
import pytest

from conftest import World
from training.certificates.holders import completed
from training.learning.quiz_takers import VOICE, WEBM, quiz_learner
from training.learning_paths.following import path as new_path
from training.learning_paths.following import work
from training.scorm.packages import package
from trilha.people.users.schema import User
from trilha.platform.events.catalogue import CATALOGUE
from trilha.settings import Settings
from trilha.training.certificates import actions as certificates
from trilha.training.certificates.jobs import tell
from trilha.training.certificates.schema import Reason
from trilha.training.enrollments.jobs import EXPIRE
from web.panel.signing_in import browser_of, made, send, signed_in
from web.player.playing import Enrolled, enrolled, taught

GROUPS = (
    "user.",
    "course.",
    "learning_path.",
    "enrollment.",
    "certificate.",
    "assessment.",
    "voice_activity.",
)
# Nothing emits these yet. The feature that does adds its flow below.
MISSING: set[str] = set()
Members = dict[str, Any]
Flow = Callable[[World, Settings], Awaitable[Members]]
FLOWS: dict[str, Flow] = {}


def emits(type: str) -> Callable[[Flow], Flow]:
    """Declares the event of a flow. The flow returns members that the event must have."""

    def keep(flow: Flow) -> Flow:
        FLOWS[type] = flow
        return flow

    return keep


def test_every_event_of_these_groups_has_a_flow_or_is_known_to_lack_one() -> None:
    types = {type for type in CATALOGUE if type.startswith(GROUPS)}
    assert set(FLOWS) | MISSING == types
    assert not set(FLOWS) & MISSING
    assert {type for type in types if not CATALOGUE[type].emitted} == MISSING


@pytest.mark.parametrize("type", FLOWS)
async def test_it_is_emitted_once(world: World, settings: Settings, type: str) -> None:
    members = await FLOWS[type](world, settings)
    told = [data for _, data in await world.events(type)]
    about = {name: str(value) for name, value in members.items()}
    (data,) = [each for each in told if {name: str(each[name]) for name in about} == about]
    assert len(told) == 1, f"{type} is told of something else, too: {told}"
    assert set(data) == set(CATALOGUE[type].__struct_fields__)


# People, through the API and the panel.


@emits("user.created")
async def create_user(world: World, _: Settings) -> Members:
    return {"user_id": (await world.user())["id"], "role": "learner", "status": "ACTIVE"}


@emits("user.updated")
async def update_user(world: World, _: Settings) -> Members:
    user = await world.user()
    for _again in range(2):
        answer = await world.http.patch(f"/v1/users/{user['id']}", json={"department": "Frota"})
        assert answer.status_code == 200
    return {"user_id": user["id"], "changed": ["department"]}


async def suspended(world: World) -> str:
    user = await world.user()
    for _ in range(2):
        assert (await world.http.post(f"/v1/users/{user['id']}/suspend")).status_code == 204
    return str(user["id"])


@emits("user.suspended")
async def suspend_user(world: World, _: Settings) -> Members:
    return {"user_id": await suspended(world)}


@emits("user.reactivated")
async def reactivate_user(world: World, _: Settings) -> Members:
    user_id = await suspended(world)
    for _again in range(2):
        assert (await world.http.post(f"/v1/users/{user_id}/reactivate")).status_code == 204
    return {"user_id": user_id}


@emits("user.deleted")
async def erase_user(world: World, _: Settings) -> Members:
    admin, user = await signed_in(world), await made(world, name="Caio Paz")
    answer = await send(admin, f"/admin/people/{user.id}/erase", typed="Caio Paz")
    assert answer.status_code == 303, answer.text
    return {"user_id": user.id}


@emits("user.role_changed")
async def change_role(world: World, _: Settings) -> Members:
    admin, user = await signed_in(world), await made(world)
    for _again in range(2):
        await send(admin, f"/admin/people/{user.id}/role", role="gestor")
    return {"user_id": user.id, "role": "gestor", "previous_role": "learner"}


# Courses and learning paths, in the panel.


async def copied(world: World, admin: httpx2.AsyncClient) -> str:
    """Returns the address of a draft that the panel has copied. The event does not name the original."""
    async with world.tx() as tx:
        course = await tx.value(
            """
            WITH course AS (
                INSERT INTO courses (tenant_id, title, slug, created_at, updated_at)
                VALUES (:tenant, 'Extintores', 'extintores', :now, :now) RETURNING id)
            INSERT INTO modules (tenant_id, course_id, position, title, type, duration_minutes, required,
                                 created_at, updated_at)
            SELECT :tenant, id, 1, 'Fogo', 'ARTICLE', 5, true, :now, :now FROM course RETURNING course_id
            """
        )
    answer = await send(admin, f"/admin/courses/{course}/duplicate")
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"])


def id_in(address: str) -> str:
    return address.rpartition("/")[2]


@emits("course.created")
async def create_course(world: World, _: Settings) -> Members:
    return {"course_id": id_in(await copied(world, await signed_in(world))), "status": "DRAFT"}


@emits("course.updated")
async def publish_course(world: World, _: Settings) -> Members:
    admin = await signed_in(world)
    address = await copied(world, admin)
    for _again in range(2):
        assert (await send(admin, f"{address}/publish")).status_code == 303
    return {"course_id": id_in(address), "status": "PUBLISHED"}


@emits("course.archived")
async def archive_course(world: World, _: Settings) -> Members:
    admin = await signed_in(world)
    address = await copied(world, admin)
    await send(admin, f"{address}/publish")
    for _again in range(2):
        assert (await send(admin, f"{address}/archive")).status_code == 303
    return {"course_id": id_in(address), "status": "ARCHIVED"}


@emits("course.rated")
async def evaluate_course(world: World, _: Settings) -> Members:
    course_id = await world.course()
    for nps in (0, 7, 9, 10, 10):
        user = await made(world)
        enrollment = await world.enrollment(user_id=str(user.id), course_id=course_id)
        await completed(world, enrollment=enrollment)
        grades = dict.fromkeys(("content", "clarity", "instructor", "platform", "applicability"), 4)
        learner, page = await browser_of(world, user), f"/learn/enrollments/{enrollment['id']}/evaluation"
        for _again in range(2):
            await send(learner, page, **grades, nps=nps)
    return {"course_id": course_id, "rating_count": 5, "nps": 40}


async def on_a_path(world: World, course_id: UUID, user: User) -> UUID:
    """Assigns the person on the path's page, twice."""
    path_id, admin = await new_path(world, course_id), await signed_in(world)
    for _ in range(2):
        answer = await send(admin, f"/admin/paths/{path_id}/assign", id=str(user.id))
        assert answer.status_code == 303, answer.text
        await work(world)
    return path_id


@emits("learning_path.assigned")
async def assign_path(world: World, _: Settings) -> Members:
    user = await made(world)
    return {"learning_path_id": await on_a_path(world, await world.course(), user), "user_id": user.id}


@emits("learning_path.completed")
async def complete_path(world: World, settings: Settings) -> Members:
    player = await opened(world, settings)
    path_id = await on_a_path(world, player.learner.taught.course_id, player.user)
    for _again in range(2):
        await player.commit("passed", "90")
        await work(world)
    return {"learning_path_id": path_id, "user_id": player.user.id}


# Learning, with the requests that a browser sends.


class Player(NamedTuple):
    """The open page of a module, and the frame in it."""

    user: User
    learner: Enrolled
    client: httpx2.AsyncClient
    host: str
    path: str
    numbers: list[int]

    async def commit(self, status: str, score: str = "", *, final: bool = False) -> None:
        """Sends a commit like the runtime."""
        self.numbers.append(len(self.numbers) + 1)
        core: Members = {"lesson_status": status} | ({"score": {"raw": score}} if score else {})
        body = {"cmi": {"core": core}, "launch": {"sequence": self.numbers[-1], "final": final, "sent_at": 0}}
        answer = await self.client.post(f"{self.path}commit", json=body, headers={"host": self.host})
        assert answer.json()["result"] is True, answer.text

    @property
    def members(self) -> Members:
        return {"enrollment_id": self.learner.id, "user_id": self.user.id}

    @property
    def attempt(self) -> Members:
        return self.members | {"module_id": self.learner.taught.modules[0], "attempt": 1}


async def opened(world: World, settings: Settings) -> Player:
    """Opens the page of a SCORM 1.2 module."""
    user = await made(world)
    learner = await enrolled(world, await taught(world, settings, package()), user)
    host, path = await frame_of(world, user, learner.path())
    return Player(user, learner, world.client(), host, path, [])


async def frame_of(world: World, user: User, page: str) -> tuple[str, str]:
    """Returns the origin of a module's content, and the path of the launch there."""
    answer = await (await browser_of(world, user)).post(f"{page}/launches")
    assert answer.status_code == 200, answer.text
    frame = urlsplit(answer.json()["address"])
    return frame.netloc, frame.path


@emits("enrollment.created")
async def enroll(world: World, _: Settings) -> Members:
    user, course = await world.user(), await world.course()
    pair = {"user_id": user["id"], "course_id": str(course)}
    answers = [await world.http.post("/v1/enrollments", json=pair) for _again in range(2)]
    assert [each.status_code for each in answers] == [201, 409]
    return pair


@emits("enrollment.started")
async def open_module(world: World, settings: Settings) -> Members:
    player = await opened(world, settings)
    again = await (await browser_of(world, player.user)).post(f"{player.learner.path()}/launches")
    assert again.status_code == 200
    return player.members


@emits("enrollment.progress")
async def go_on(world: World, settings: Settings) -> Members:
    player = await opened(world, settings)
    for _again in range(2):
        await player.commit("completed")
    return player.members | {"progress_percent": 100.0}


@emits("enrollment.completed")
async def complete(world: World, settings: Settings) -> Members:
    player = await opened(world, settings)
    for _again in range(2):
        await player.commit("passed", "90")
    return player.members | {"score": 90.0, "progress_percent": 100.0}


@emits("certificate.issued")
async def be_certified(world: World, settings: Settings) -> Members:
    player = await opened(world, settings)
    for _again in range(2):
        await player.commit("passed", "90")
    return player.members | {"expires_at": "None"}


@emits("certificate.revoked")
async def revoke(world: World, settings: Settings) -> Members:
    player = await opened(world, settings)
    await player.commit("passed", "90")
    id = (await world.http.get("/v1/certificates")).json()["data"][0]["id"]
    for _again in range(2):
        async with world.tx() as tx:
            await certificates.revoke(tx, UUID(id), Reason("Fraud"))
    return player.members | {"certificate_id": id}


@emits("certificate.expiring")
async def expire_soon(world: World, settings: Settings) -> Members:
    id = await completed(world, certificate_validity_months=12)
    world.clock.move(days=340)
    for _again in range(3):
        await tell("http://127.0.0.1").run_in(world.database, world.tenant.id)
    return {"certificate_id": id}


@emits("enrollment.updated")
async def _(world: World, settings: Settings) -> Members:
    enrollment = await world.enrollment(expires_at=(world.clock.now + timedelta(hours=1)).isoformat())
    address = f"/v1/enrollments/{enrollment['id']}"
    for _ in range(2):
        assert (await world.http.patch(address, json={"expires_at": None})).status_code == 200
    return {"enrollment_id": enrollment["id"], "status": "NOT_STARTED", "expires_at": None}


@emits("enrollment.requested")
async def _(world: World, settings: Settings) -> Members:
    user, course = (await world.user())["id"], str(await world.course(self_enrollment="APPROVAL"))
    for status in (201, 409):
        answer = await world.http.post(f"/v1/users/{user}/enrollment-requests", json={"course_id": course})
        assert answer.status_code == status
    return {"user_id": user, "course_id": course, "status": "WAITING"}


@emits("enrollment.cancelled")
async def _(world: World, settings: Settings) -> Members:
    enrollment = await world.enrollment()
    for status in (204, 404):
        answer = await world.http.delete(f"/v1/enrollments/{enrollment['id']}")
        assert answer.status_code == status
    return {"enrollment_id": enrollment["id"]}


@emits("enrollment.expired")
async def expire(world: World, _: Settings) -> Members:
    until = world.clock.now.replace(year=world.clock.now.year + 1).isoformat()
    enrollment = await world.enrollment(expires_at=until)
    world.clock.move(days=400)
    for _again in range(2):
        await EXPIRE.run_in(world.database, world.tenant.id)
    return {"enrollment_id": enrollment["id"]}


@emits("assessment.attempted")
async def attempt(world: World, settings: Settings) -> Members:
    player = await opened(world, settings)
    await player.commit("incomplete", "40")
    for _again in range(2):
        await player.commit("incomplete", "40", final=True)
    return player.attempt | {"score": 40.0}


@emits("assessment.passed")
async def pass_it(world: World, settings: Settings) -> Members:
    player = await opened(world, settings)
    for _again in range(2):
        await player.commit("passed", "90")
    return player.attempt | {"score": 90.0}


@emits("assessment.failed")
async def fail_it(world: World, settings: Settings) -> Members:
    player = await opened(world, settings)
    for _again in range(2):
        await player.commit("failed", "20")
    return player.attempt | {"score": 20.0}


@emits("voice_activity.completed")
async def speak(world: World, _: Settings) -> Members:
    user = await made(world)
    learner = await quiz_learner(world, VOICE, user_id=str(user.id))
    host, path = await frame_of(world, user, f"/learn/enrollments/{learner.id}/modules/{learner.modules[0]}")
    async with world.tx() as tx:
        question = await tx.value("SELECT id FROM questions WHERE tenant_id = :tenant")
    client = world.client()
    client.headers["host"] = host
    kept = await client.put(f"{path}voice/{question}", content=WEBM)
    assert kept.json()["result"] is True, kept.text
    body = {"answers": {}, "hand_in": True, "again": False, "launch": {"sequence": 1, "final": False}}
    for _again in range(2):
        done = await client.post(f"{path}answers", json=body)
        assert done.json()["result"] is True, done.text
    return {"enrollment_id": learner.id, "user_id": user.id, "module_id": learner.modules[0]}
