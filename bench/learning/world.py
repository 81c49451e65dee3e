"""A tenant with one course of a SCORM package, and learners who have opened its module."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID, uuid4

import msgspec

from bench.learning import packages
from bench.learning.commits import Learner
from bench.world import TENANT, Size, World, create_database, open_empty, server
from trilha.core.database import Database
from trilha.core.file_store import FileStore, open_file_store
from trilha.core.lists import fetch_page
from trilha.core.types import Title
from trilha.core.web.pagination import ListQuery
from trilha.courses import actions as courses
from trilha.courses import module_actions
from trilha.courses.lists import MODULES
from trilha.courses.schema import CourseSlug, NewCourse
from trilha.enrollments import actions as enrollments
from trilha.enrollments.schema import NewEnrollment
from trilha.learning import actions as learning
from trilha.learning.schema import LaunchedFrom
from trilha.player.origin import ContentOrigin
from trilha.scorm import actions as scorm
from trilha.scorm import archives
from trilha.scorm import queries as scorm_queries
from trilha.scorm.jobs import ImportPackages

BROWSER = LaunchedFrom("127.0.0.1", "bench")
NAME = "learning"


class LearningWorld(World):
    """All learners come from one address here."""

    def environment(self) -> dict[str, str]:
        return super().environment() | {
            "TRILHA_REQUESTS_PER_ADDRESS": "1000",
        }


class Launch(msgspec.Struct):
    """`learner` is how a browser reaches it."""

    id: UUID
    learner: Learner


class School:
    """What is in the database, and ways to change it."""

    def __init__(self, world: World, database: Database, files: FileStore) -> None:
        self.world = world
        self.database = database
        self.files = files
        self.sha256 = ""
        self.places: list[tuple[UUID, UUID]] = []  # person and enrollment
        self.module_id = UUID(int=0)

    async def found(self, folder: Path, learners: int) -> None:
        package_id = await self.hand_in(packages.make(folder / "course.zip", packages.MIB))
        job = ImportPackages(self.files, folder / "scratch")
        assert await job.run_next(self.database, TENANT, package_id) == 1
        async with self.database.transaction(TENANT) as tx:
            found = await scorm_queries.get(tx, package_id)
            assert found.state == "READY", found.report
            self.sha256 = found.sha256
            modules = await module_actions.package_modules(tx, package_id, 60)
            new = NewCourse(title=Title("Bench"), slug=CourseSlug("bench"), modules=modules)
            course = await courses.create(tx, new)
            await courses.publish(tx, course.id)
            (module,) = (await fetch_page(tx, MODULES, ListQuery(limit=1), course.id)).data
            self.module_id = module.id
            people = [
                row["id"]
                for row in await tx.rows(
                    """
                    INSERT INTO users (tenant_id, email, name, role, created_at, updated_at)
                    SELECT :tenant, 'learner.' || n || '@example.com', 'Ana Lima', 'learner', :now, :now
                    FROM generate_series(1, :most) AS n RETURNING id
                    """,
                    most=learners + 2,
                )
            ]
            await enrollments.enroll_many(
                tx, [NewEnrollment(user_id=each, course_id=course.id) for each in people]
            )
            rows = await tx.rows(
                "SELECT user_id, id FROM enrollments WHERE tenant_id = :tenant AND course_id = :course",
                course=course.id,
            )
            self.places = [(row["user_id"], row["id"]) for row in rows]

    async def hand_in(self, path: Path) -> UUID:
        """A package that waits for the worker."""
        archive = await archives.keep(self.files, TENANT, path)
        async with self.database.transaction(TENANT) as tx:
            await scorm.start_import(tx, archive, path.name)
        return archive.id

    async def state_of(self, package_id: UUID) -> str:
        async with self.database.transaction(TENANT, read_only=True) as tx:
            return (await scorm_queries.get(tx, package_id)).state

    async def launch(self, place: int) -> Launch:
        user_id, enrollment_id = self.places[place]
        async with self.database.transaction(TENANT) as tx:
            launched = await learning.launch(tx, user_id, enrollment_id, self.module_id, BROWSER)
        origin = ContentOrigin("http://*.content.localhost", "", self.database.keyring)
        host = f"{origin.label(TENANT, self.sha256)}.content.localhost"
        return Launch(launched.launch_id, Learner(host, f"/l/{launched.token}/"))

    async def commit(self, launch: Launch, raw: bytes) -> None:
        async with self.database.transaction(TENANT) as tx:
            done = await learning.commit(tx, launch.id, learning.read_commit(raw))
        assert done.outcome == "APPLIED", done


async def _make(folder: Path, url: str, learners: int) -> School:
    url = await create_database(url, NAME)
    database = await open_empty(folder, url)
    world = LearningWorld(Size(NAME, learners, learners, learners), url, folder, uuid4().hex)
    school = School(world, database, open_file_store(None, folder / "files"))
    await school.found(folder, learners)
    return school


@contextmanager
def school(runner: asyncio.Runner, learners: int) -> Iterator[School]:
    """On one event loop: its connections stay on it."""
    with server() as (folder, url):
        made = runner.run(_make(folder, url, learners))
        try:
            yield made
        finally:
            runner.run(made.database.close())
