"""A course with a SCORM package, an enrolled person, and what their browser loads."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from msgspec import Struct

from conftest import World
from trilha.core.file_store import FileStore, open_file_store
from trilha.core.web.parsing import convert
from trilha.people.users.schema import User
from trilha.settings import Settings
from trilha.training.courses import actions as courses
from trilha.training.courses import contents, module_queries
from trilha.training.courses.schema import NewCourse
from trilha.training.learning.launches import actions as launches
from trilha.training.learning.launches.schema import LaunchClient, NewLaunch
from trilha.training.scorm import actions, archives, queries
from trilha.training.scorm.jobs import ImportPackages

BROWSER = LaunchClient("127.0.0.1", "Firefox")


class Taught(Struct):
    """A published course; `modules` are those of its package's parts, in order."""

    course_id: UUID
    package_id: UUID
    modules: list[UUID]


class Enrolled(Struct):
    world: World
    user_id: UUID
    id: UUID
    taught: Taught

    def path(self, module: int = 0) -> str:
        return f"/learn/enrollments/{self.id}/modules/{self.taught.modules[module]}"

    async def launch(self, module: int = 0) -> NewLaunch:
        """Creates a launch without loading a page."""
        async with self.world.tx() as tx:
            return await launches.launch(tx, self.user_id, self.id, self.taught.modules[module], BROWSER)

    async def read(self) -> dict[str, Any]:
        answer = await self.world.http.get(f"/v1/enrollments/{self.id}")
        data: dict[str, Any] = answer.json()["data"]
        return data

    async def answers(self) -> list[dict[str, Any]]:
        answer = await self.world.http.get(f"/v1/enrollments/{self.id}/interactions")
        assert answer.status_code == 200, answer.text
        found: list[dict[str, Any]] = answer.json()["data"]
        return found

    async def attempts(self) -> Sequence[Any]:
        """Returns the attempts at all modules, oldest first."""
        async with self.world.tx() as tx:
            return await tx.rows(
                """
                SELECT a.number, a.completion, a.success, a.score, a.progress, a.cmi, a.terminated, a.exit,
                       m.position
                FROM attempts a JOIN modules m ON m.tenant_id = a.tenant_id AND m.id = a.module_id
                WHERE a.tenant_id = :tenant AND a.enrollment_id = :id ORDER BY m.position, a.number
                """,
                id=self.id,
            )

    async def calls(self) -> list[dict[str, Any]]:
        """Returns the content's calls to the runtime in the trace."""
        async with self.world.tx() as tx:
            rows = await tx.rows(
                """
                SELECT t.calls FROM launch_traces t
                JOIN launches l ON l.tenant_id = t.tenant_id AND l.id = t.launch_id
                WHERE t.tenant_id = :tenant AND l.enrollment_id = :id ORDER BY l.number, t.number
                """,
                id=self.id,
            )
        return [call for row in rows for call in row["calls"]]


def file_store(settings: Settings) -> FileStore:
    """Returns the application's own file store."""
    return open_file_store(settings.files_url, settings.data_dir / "files")


async def imported(world: World, settings: Settings, archive: Path | bytes) -> UUID:
    """Imports a package with the worker's own job. It must be a good one."""
    files = file_store(settings)
    path = archive if isinstance(archive, Path) else settings.data_dir / f"{uuid4()}.zip"
    if isinstance(archive, bytes):
        await asyncio.to_thread(path.write_bytes, archive)
    kept = await archives.keep(files, world.tenant.id, path)
    async with world.tx() as tx:
        package = await actions.start_import(tx, kept, path.name)
    job = ImportPackages(files, settings.data_dir / "scratch")
    assert await job.run_next(world.database, world.tenant.id, package.id) == 1
    async with world.tx() as tx:
        package = await queries.get(tx, package.id)
    assert package.state == "READY", package.report
    return package.id


async def taught(
    world: World, settings: Settings, archive: Path | bytes, *, minutes: int = 10, **members: Any
) -> Taught:
    """Creates a published course with a module for each part of the package."""
    package_id = await imported(world, settings, archive)
    async with world.tx() as tx:
        parts = await contents.parts(tx, package_id)
        modules = [
            {
                "title": part.title[:200],
                "type": "SCORM",
                "duration_minutes": minutes,
                "content": {"package_id": str(package_id), "item": part.identifier},
            }
            for part in parts
        ]
        raw = {"title": "Trabalho em altura", "slug": f"c-{uuid4().hex}", "modules": modules} | members
        course = await courses.create(tx, convert(NewCourse, raw, tx.today))
        await courses.publish(tx, course.id)
        every = await module_queries.list_all(tx, course.id)
    return Taught(course.id, package_id, [each.id for each in every])


async def enrolled(world: World, taught: Taught, user: User | None = None) -> Enrolled:
    user_id = {"user_id": str(user.id)} if user else {}
    found = await world.enrollment(course_id=taught.course_id, **user_id)
    return Enrolled(world, UUID(found["user_id"]), UUID(found["id"]), taught)
