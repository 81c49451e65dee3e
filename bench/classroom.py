"""A course with one SCORM module in the company, and signed-in people who are enrolled in it."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from uuid import UUID

import asyncpg

from bench import packages
from bench.company import TENANT, Company, opened_database
from bench.deployment import CONTENT_URL
from bench.learner_load import Learner
from trilha.core.database import Database, Tx
from trilha.core.file_store import open_file_store
from trilha.core.lists import fetch_page
from trilha.core.secrets import Keyring, load_keyring
from trilha.core.types import Title
from trilha.core.web.pagination import ListQuery
from trilha.training.courses import actions as courses
from trilha.training.courses import module_actions
from trilha.training.courses.lists import MODULES
from trilha.training.courses.schema import CourseSlug, NewCourse
from trilha.training.enrollments import actions as enrollments
from trilha.training.enrollments.schema import NewEnrollment
from trilha.training.learning.launches import actions as learning
from trilha.training.learning.launches.schema import LaunchClient
from trilha.training.scorm import actions as scorm
from trilha.training.scorm import archives
from trilha.training.scorm import queries as scorm_queries
from trilha.training.scorm.jobs import ImportPackages
from trilha.web.player.origin import ContentOrigin

_SLUG = "bench-module"
_ENROLLED_AT_ONCE = 1_000
_LAUNCHED_AT_ONCE = 4
AGENT = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0"


@dataclass(frozen=True)
class Pupil:
    """An enrolled, signed-in person. `token` is that of the session."""

    user_id: UUID
    email: str
    enrollment_id: UUID
    session_id: UUID
    token: str


@dataclass(frozen=True)
class Launch:
    id: UUID
    learner: Learner


@dataclass(frozen=True)
class Classroom:
    company: Company
    database: Database
    course_id: UUID
    module_id: UUID
    host: str
    pupils: Sequence[Pupil]

    async def launch(self, places: range) -> list[Launch]:
        """Opens the module for these learners, like their browsers."""
        turns = asyncio.Semaphore(_LAUNCHED_AT_ONCE)

        async def launch_one(place: int) -> Launch:
            pupil = self.pupils[place]
            browser = LaunchClient("203.0.113.1", AGENT, pupil.session_id)
            async with turns, self.database.transaction(TENANT) as tx:
                made = await learning.launch(tx, pupil.user_id, pupil.enrollment_id, self.module_id, browser)
            return Launch(made.launch_id, Learner(self.host, f"/l/{made.token}/"))

        return list(await asyncio.gather(*(launch_one(place) for place in places)))


@asynccontextmanager
async def opened(company: Company, pupils: int) -> AsyncIterator[Classroom]:
    """Creates the missing course, people and enrollments, and signs everyone in."""
    keyring = load_keyring(company.folder / "master.key")
    async with opened_database(company) as database:
        package_id = await _ensure_package(company, database)
        async with database.transaction(TENANT) as tx:
            course_id, module_id = await _ensure_course(tx, package_id)
            sha256 = (await scorm_queries.get(tx, package_id)).sha256
        await _enroll(database, course_id, pupils)
        host = ContentOrigin(CONTENT_URL, "", keyring).label(TENANT, sha256)
        host += CONTENT_URL.rpartition("*")[2]
        signed_in = await _sign_in(company, keyring, course_id, pupils)
        yield Classroom(company, database, course_id, module_id, host, signed_in)


async def _ensure_package(company: Company, database: Database) -> UUID:
    async with database.transaction(TENANT) as tx:
        package_id: UUID | None = await tx.value(
            "SELECT id FROM packages WHERE tenant_id = :tenant AND file_name = :name AND state = 'READY'",
            name=f"{_SLUG}.zip",
        )
    if package_id is not None:
        return package_id
    files = open_file_store(None, company.folder / "files")
    path = packages.make(company.folder / f"{_SLUG}.zip", packages.MIB)
    archive = await archives.keep(files, TENANT, path)
    async with database.transaction(TENANT) as tx:
        await scorm.start_import(tx, archive, path.name)
    await ImportPackages(files, company.folder / "scratch").run_next(database, TENANT, archive.id)
    return archive.id


async def _ensure_course(tx: Tx, package_id: UUID) -> tuple[UUID, UUID]:
    """Returns the course and its module."""
    course_id: UUID | None = await tx.value(
        "SELECT id FROM courses WHERE tenant_id = :tenant AND slug = :slug", slug=_SLUG
    )
    if course_id is None:
        modules = await module_actions.package_modules(tx, package_id, 60)
        new = NewCourse(title=Title("Direção defensiva"), slug=CourseSlug(_SLUG), modules=modules)
        course_id = (await courses.publish(tx, (await courses.create(tx, new)).id)).id
    (module,) = (await fetch_page(tx, MODULES, ListQuery(limit=1), course_id)).data
    return course_id, module.id


async def _enroll(database: Database, course_id: UUID, pupils: int) -> None:
    """Creates the missing people, and enrolls them."""
    async with database.transaction(TENANT) as tx:
        have: int = await tx.value(
            "SELECT count(*) FROM enrollments WHERE tenant_id = :tenant AND course_id = :course",
            course=course_id,
        )
    for first in range(have, pupils, _ENROLLED_AT_ONCE):
        last = min(pupils, first + _ENROLLED_AT_ONCE) - 1
        async with database.transaction(TENANT) as tx:
            rows = await tx.rows(
                """
                INSERT INTO users (tenant_id, email, name, role, created_at, updated_at)
                SELECT :tenant, 'aluno.' || n || '@companhia.example', 'Aluno ' || n || ' Pereira', 'learner',
                       :now, :now
                FROM generate_series(:first::int, :last::int) AS n RETURNING id
                """,
                first=first,
                last=last,
            )
            await enrollments.enroll_many(
                tx, [NewEnrollment(user_id=row["id"], course_id=course_id) for row in rows]
            )


async def _sign_in(company: Company, keyring: Keyring, course_id: UUID, pupils: int) -> list[Pupil]:
    owner = await asyncpg.connect(company.url, server_settings={"timezone": "UTC"})
    rows = await owner.fetch(
        """
        SELECT e.id, e.user_id, u.email, md5('bench session ' || e.user_id)::uuid AS session_id
        FROM enrollments e JOIN users u ON u.tenant_id = e.tenant_id AND u.id = e.user_id
        WHERE e.tenant_id = $1 AND e.course_id = $2 ORDER BY u.created_at, u.id LIMIT $3
        """,
        *(TENANT, course_id, pupils),
    )
    signed_in = [
        Pupil(
            row["user_id"],
            row["email"],
            row["id"],
            row["session_id"],
            f"trl_session_bench_{row['user_id'].hex}",
        )
        for row in rows
    ]
    async with owner.transaction():
        await owner.execute(
            "DELETE FROM sessions WHERE id = ANY($1)", [each.session_id for each in signed_in]
        )
        await owner.executemany(
            """
            INSERT INTO sessions (tenant_id, id, user_id, fingerprint, epoch, second_factor, agent, source,
                                  last_seen_at, idle_ends_at, expires_at, created_at)
            SELECT tenant_id, $3, id, $4, session_epoch, 'none', $5, '203.0.113.1', now(),
                   now() + interval '1 day', now() + interval '1 day', now()
            FROM users WHERE tenant_id = $1 AND id = $2
            """,
            [
                (TENANT, each.user_id, each.session_id, keyring.fingerprint(each.token), AGENT)
                for each in signed_in
            ],
        )
    await owner.close()
    return signed_in
