"""The counts of a list beyond a thousand rows: exact where a total is kept, otherwise "more than"."""

import pytest

from conftest import World
from trilha.core.lists import Count, count, list_rows
from trilha.people.users.jobs import MERGE_COUNTERS
from trilha.people.users.lists import PEOPLE
from trilha.people.users.reach import EVERYONE, Reach
from trilha.people.users.schema import PeopleQuery
from trilha.training.enrollments import counters
from trilha.training.enrollments.lists import ENROLLMENT_ROWS
from trilha.training.enrollments.schema import EnrollmentSearch
from web.panel.signing_in import signed_in

MANY = 1200
PEOPLE_OF_EACH_ROLE = """
    INSERT INTO users (tenant_id, email, name, role, status, created_at, updated_at)
    SELECT :tenant, 'p' || n || '@example.com', 'Ana ' || n,
           CASE WHEN n % 10 = 0 THEN 'gestor' ELSE 'learner' END, 'ACTIVE', :now, :now
    FROM generate_series(1, CAST(:many AS int)) AS n
    RETURNING tenant_id"""


async def counted(world: World, reach: Reach = EVERYONE, **filters: object) -> Count:
    async with world.tx() as tx:
        return await count(tx, PEOPLE, PeopleQuery(**filters), reach)  # type: ignore[arg-type]


async def test_people_are_counted_by_role_and_status(world: World) -> None:
    async with world.tx() as tx:
        await tx.execute(PEOPLE_OF_EACH_ROLE, many=MANY)
    for _ in range(2):  # before and after the worker merged the counters
        assert await counted(world) == Count(MANY)
        assert await counted(world, role="learner") == Count(1080)
        assert await counted(world, role="learner", status="ACTIVE") == Count(1080)
        assert await counted(world, status="SUSPENDED") == Count(0)
        assert await counted(world, without_unit=True) == Count(1000, exact=False)
        assert await MERGE_COUNTERS.run_in(world.database, world.tenant.id) == 0
    async with world.tx() as tx:
        await tx.execute(
            "UPDATE users SET status = 'SUSPENDED', name = 'x' WHERE tenant_id = :tenant AND role = 'gestor'"
        )
    assert await counted(world) == Count(MANY)
    assert await counted(world, status="ACTIVE") == Count(1080)
    assert (await counted(world, Reach("gestor", world.tenant.id))) == Count(0)


@pytest.mark.parametrize(
    ("status", "total"), [(None, MANY), ("open", 1100), ("completed", 100), ("ending", None)]
)
async def test_enrollments_are_counted_by_course_and_status(
    world: World, status: str | None, total: int | None
) -> None:
    enrollment = await world.enrollment()
    async with world.tx() as tx:
        await tx.execute(PEOPLE_OF_EACH_ROLE, many=MANY - 1)
        await tx.execute(
            """
            INSERT INTO all_enrollments (tenant_id, user_id, course_id, status, current, started_at,
                                         completed_at, expires_at, created_at, updated_at)
            SELECT :tenant, id, CAST(:course AS uuid),
                   CASE WHEN place <= 100 THEN 'COMPLETED' ELSE 'IN_PROGRESS' END, true, :now,
                   CASE WHEN place <= 100 THEN CAST(:now AS timestamptz) END,
                   CAST(:now AS timestamptz) + interval '3 days', :now, :now
            FROM (SELECT id, row_number() OVER () AS place FROM users
                  WHERE tenant_id = :tenant AND email LIKE 'p%@example.com') AS person
            RETURNING tenant_id
            """,
            course=enrollment["course_id"],
        )
        await counters.add(
            tx, {enrollment["course_id"]: {"enrollments": 1199, "in_progress": 1099, "completed": 100}}
        )
        for course in (None, enrollment["course_id"]):
            query = EnrollmentSearch(status=status, course=course)  # type: ignore[arg-type]
            expected = Count(1000, exact=False) if total is None else Count(total)
            assert await count(tx, ENROLLMENT_ROWS, query, EVERYONE) == expected
            if total:
                assert len(await list_rows(tx, ENROLLMENT_ROWS, query, EVERYONE)) == total


async def test_the_panel_says_the_total(world: World) -> None:
    admin = await signed_in(world)
    async with world.tx() as tx:
        await tx.execute(PEOPLE_OF_EACH_ROLE, many=MANY)
    assert "1,201 people" in (await admin.get("/admin/people")).text
    assert "More than 1,000 people" in (await admin.get("/admin/people?q=ana")).text
