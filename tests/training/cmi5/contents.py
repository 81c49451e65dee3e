"""Courses of cmi5 content, and content without a browser."""

import hashlib
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import UUID, uuid4

import httpx2

from conftest import World
from trilha.training.learning.cmi5 import rules, sessions, waivers
from trilha.training.learning.cmi5.waivers import Reason
from trilha.training.learning.launches import actions as launches
from trilha.training.learning.launches import pages
from trilha.training.learning.launches.schema import LaunchClient
from trilha.training.scorm.package.links import Launch
from trilha.training.scorm.package.manifest import AssignableUnit, Item, Manifest, MoveOn

AU, BLOCK, COURSE = (f"https://publisher.example/{name}" for name in ("au", "block", "course"))
VERBS = "http://adlnet.gov/expapi/verbs/"
ORIGIN = "http://0123.content.test"


class Content:
    """Content in a session: what it gets from the launch, and what it sends."""

    def __init__(self, world: World, address: str) -> None:
        self.given = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        self.address = address
        self.http = world.client()
        self.http.headers["x-experience-api-version"] = "1.0.3"
        self.data: dict[str, Any] = {}

    async def fetch(self) -> dict[str, Any]:
        answer = await self.http.post(urlsplit(self.given["fetch"]).path)
        assert answer.status_code == 200
        told: dict[str, Any] = answer.json()
        return told

    async def begin(self) -> None:
        """Does what every content does first."""
        self.http.headers["authorization"] = f"Basic {(await self.fetch())['auth-token']}"
        answer = await self.state("LMS.LaunchData")
        assert answer.status_code == 200, answer.text
        self.data = answer.json()
        parameters = {"agent": self.given["actor"], "profileId": "cmi5LearnerPreferences"}
        assert (await self.http.get("/xapi/agents/profile", params=parameters)).status_code == 200
        assert (await self.send("initialized")).status_code == 200

    async def state(self, name: str, method: str = "GET", **options: Any) -> httpx2.Response:
        parameters = {
            "activityId": self.given["activityId"],
            "agent": self.given["actor"],
            "registration": self.given["registration"],
            "stateId": name,
        }
        return await self.http.request(method, "/xapi/activities/state", params=parameters, **options)

    def build(self, verb: str, **changes: Any) -> dict[str, Any]:
        result: dict[str, Any] = {"duration": "PT5S"} if verb != "initialized" else {}
        result |= {"completed": {"completion": True}, "passed": {"success": True}}.get(verb, {})
        result |= {"failed": {"success": False}}.get(verb, {})
        categories = [rules.CATEGORY, *([rules.MOVE_ON_CATEGORY] if verb in rules.RESULTS.values() else [])]
        context = self.data["contextTemplate"] | {"registration": self.given["registration"]}
        context["contextActivities"] = context["contextActivities"] | {
            "category": [{"id": each} for each in categories]
        }
        return {
            "id": str(uuid4()),
            "timestamp": "2026-11-28T12:00:00Z",
            "actor": {"account": {"homePage": self.endpoint_base, "name": self.person}},
            "verb": {"id": VERBS + verb},
            "object": {"id": self.given["activityId"]},
            "context": context,
            **({"result": result} if result else {}),
        } | changes

    @property
    def endpoint_base(self) -> str:
        return self.given["endpoint"].removesuffix("/xapi")

    @property
    def person(self) -> str:
        return self.given["actor"].partition('"name":"')[2].partition('"')[0]

    async def send(self, verb: str, **changes: Any) -> httpx2.Response:
        return await self.http.post("/xapi/statements", json=self.build(verb, **changes))


class Learner:
    """A person with an enrollment in a course of cmi5 modules."""

    def __init__(self, world: World, base: str, enrollment: dict[str, Any], modules: list[UUID]) -> None:
        self.world = world
        self.base = base
        self.user_id = UUID(enrollment["user_id"])
        self.id = UUID(enrollment["id"])
        self.modules = modules

    async def open(self, module: int = 0) -> Content:
        async with self.world.tx() as tx:
            client = LaunchClient("127.0.0.1", "Firefox")
            made = await launches.launch(tx, self.user_id, self.id, self.modules[module], client)
        return await self.open_again(made.launch_id)

    async def open_again(self, launch_id: UUID) -> Content:
        async with self.world.tx() as tx:
            opened = await pages.load_launch(tx, launch_id)
            found = await sessions.open_content(tx, opened, self.base, ORIGIN, "pt-BR", preview=False)
        return Content(self.world, found.address)

    async def begin(self, module: int = 0) -> Content:
        content = await self.open(module)
        await content.begin()
        return content

    async def list_verbs(self) -> list[str]:
        answer = await self.world.http.get(f"/v1/enrollments/{self.id}/statements", params={"limit": 100})
        assert answer.status_code == 200, answer.text
        return [each["verb"]["id"].rpartition("/")[2] for each in answer.json()["data"]]

    async def status(self) -> str:
        answer = await self.world.http.get(f"/v1/enrollments/{self.id}")
        status: str = answer.json()["data"]["status"]
        return status

    async def waive(self, module: int = 0) -> None:
        async with self.world.tx() as tx:
            await waivers.waive(tx, self.id, self.modules[module], Reason("Knows it"), self.base)


async def enroll(world: World, base: str, *criteria: MoveOn, **unit: Any) -> Learner:
    """Enrolls a person in a course with a unit for each moveOn, all in one block."""
    items = [
        Item(
            identifier=f"{AU}/{n}",
            title=f"Part {n}",
            launch=Launch("index.html", "a=1"),
            unit=AssignableUnit(move_on=each, **unit),
        )
        for n, each in enumerate(criteria)
    ]
    block = Item(identifier=BLOCK, title="Block", items=items)
    manifest = Manifest(version="cmi5", edition="cmi5", title="Course", items=[block], course=COURSE)
    package_id = uuid4()
    course = await world.course(
        modules=[{"title": f"M{n}", "duration_minutes": 1} for n in range(len(items))]
    )
    async with world.tx() as tx:
        await tx.execute(
            """
            INSERT INTO packages (tenant_id, id, sha256, file_name, size, title, state, version, manifest,
                                  files, actor_kind, actor, source, created_at, finished_at)
            VALUES (:tenant, :id, :sha256, '', 0, '', 'READY', 'cmi5', :manifest, '{}', '', '', '', :now,
                    :now)
            """,
            id=package_id,
            sha256=hashlib.sha256(package_id.bytes).hexdigest(),
            manifest=manifest,
        )
        rows = await tx.rows(
            """
            UPDATE all_modules SET type = 'CMI5', content = jsonb_build_object(
                'package_id', CAST(:package_id AS text),
                'item', CAST(:au AS text) || '/' || (position - 1)::text)
            WHERE tenant_id = :tenant AND course_id = :course RETURNING id, position
            """,
            package_id=str(package_id),
            au=AU,
            course=course,
        )
    ids = [row["id"] for row in sorted(rows, key=lambda row: row["position"])]
    return Learner(world, base, await world.enrollment(course_id=course), ids)
