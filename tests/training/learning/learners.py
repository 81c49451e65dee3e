"""A course of SCORM modules, a learner, and a player without a browser."""

import hashlib
from typing import Any
from uuid import UUID, uuid4

from conftest import World
from trilha.core.types import to_json
from trilha.training.learning.commits import actions as commits
from trilha.training.learning.launches import actions as launches
from trilha.training.learning.launches import heartbeats
from trilha.training.learning.launches import pages as launch_pages
from trilha.training.learning.launches.schema import HeartbeatResult, LaunchClient, NewLaunch
from trilha.training.learning.player_reports.schema import ReportResult
from trilha.training.scorm.package.links import Launch
from trilha.training.scorm.package.manifest import Item, Manifest

BROWSER = LaunchClient("127.0.0.1", "Firefox")


class Player:
    """One launch. Its reports are numbered from 1."""

    def __init__(self, world: World, launched: NewLaunch, given: dict[str, Any]) -> None:
        self.world = world
        self.launched = launched
        self.given = given
        self.sequence = 0

    async def commit(
        self, *, sequence: int | None = None, final: bool = False, base: int | None = None, **cmi: Any
    ) -> ReportResult:
        if sequence is None:
            self.sequence = sequence = self.sequence + 1
        body = {"cmi": cmi, "launch": {"sequence": sequence, "final": final, "sent_at": 0, "base": base}}
        return await self.send(to_json(body))

    async def send(self, raw: bytes) -> ReportResult:
        async with self.world.tx() as tx:
            return await commits.apply_commit(tx, self.launched.launch_id, commits.read_commit(raw))

    async def status(self, status: str, *, final: bool = False, **core: Any) -> ReportResult:
        return await self.commit(final=final, core={"lesson_status": status} | core)

    async def beat(self, *, visible: bool = True, base: int | None = None) -> HeartbeatResult:
        async with self.world.tx() as tx:
            return await heartbeats.record_heartbeat(tx, self.launched.launch_id, visible=visible, base=base)

    async def base(self) -> int:
        """Returns the base that the page would have if it were loaded now."""
        async with self.world.tx() as tx:
            return (await launch_pages.load_launch(tx, self.launched.launch_id)).attempt.late_commits

    async def watch(self, seconds: int) -> HeartbeatResult:
        """Keeps the page visible for this time, with a heartbeat every 30 seconds. Returns the
        last answer.
        """
        for _ in range(seconds // 30):
            self.world.clock.move(seconds=30)
            beat = await self.beat()
        return beat


class Learner:
    """A person with an enrollment in a course of SCORM 1.2 modules."""

    def __init__(self, world: World, enrollment: dict[str, Any], modules: list[UUID]) -> None:
        self.world = world
        self.user_id = UUID(enrollment["user_id"])
        self.id = UUID(enrollment["id"])
        self.modules = modules

    async def launch(self, module: int = 0) -> Player:
        async with self.world.tx() as tx:
            launched = await launches.launch(tx, self.user_id, self.id, self.modules[module], BROWSER)
            page = await launch_pages.load_launch(tx, launched.launch_id)
        assert page.scorm is not None
        return Player(self.world, launched, page.scorm.cmi)

    async def read(self) -> dict[str, Any]:
        answer = await self.world.http.get(f"/v1/enrollments/{self.id}")
        data: dict[str, Any] = answer.json()["data"]
        return data

    async def answers(self, **query: Any) -> dict[str, Any]:
        answer = await self.world.http.get(f"/v1/enrollments/{self.id}/interactions", params=query)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    async def told(self) -> list[str]:
        """Returns the types of the events since the enrollment."""
        types = [type for type, _ in await self.world.events()]
        return types[types.index("enrollment.created") + 1 :]


async def package(world: World, *items: Item) -> UUID:
    """Creates an imported package with everything that launches need."""
    package_id = uuid4()
    manifest = Manifest(version="1.2", edition="", title="Safety", items=list(items))
    async with world.tx() as tx:
        await tx.execute(
            """
            INSERT INTO packages (tenant_id, id, sha256, file_name, size, title, state, version, manifest,
                                  files, actor_kind, actor, source, created_at, finished_at)
            VALUES (:tenant, :id, :sha256, '', 0, '', 'READY', '1.2', :manifest, '{}', '', '', '', :now, :now)
            """,
            id=package_id,
            sha256=hashlib.sha256(package_id.bytes).hexdigest(),
            manifest=manifest,
        )
    return package_id


def part(identifier: str = "i1", **members: Any) -> Item:
    return Item(identifier=identifier, title="Part", launch=Launch("index.html"), sco=True, **members)


async def learner(
    world: World,
    *minutes: int,
    regulation: dict[str, Any] | None = None,
    item: Item | None = None,
    **enrollment: Any,
) -> Learner:
    """Enrolls a person in a course with one module of each of these lengths."""
    modules = [{"title": f"M{n}", "duration_minutes": each} for n, each in enumerate(minutes or (10,))]
    asked = {"kind": "other", "required_profile_fields": []} | regulation if regulation else None
    course = await world.course(modules=modules, regulation=asked)
    material = {"package_id": str(await package(world, item or part())), "item": "i1"}
    async with world.tx() as tx:
        rows = await tx.rows(
            """
            UPDATE all_modules SET type = 'SCORM', content = :material
            WHERE tenant_id = :tenant AND course_id = :course RETURNING id, position
            """,
            material=material,
            course=course,
        )
    ids = [row["id"] for row in sorted(rows, key=lambda row: row["position"])]
    return Learner(world, await world.enrollment(course_id=course, **enrollment), ids)
