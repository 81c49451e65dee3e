"""/admin"""

import html
import re
from datetime import timedelta
from uuid import UUID

from msgspec.structs import replace

from conftest import CNH, CPF, PHONE, World
from posting import Post
from training.learning.quiz_takers import ESSAY, RIGHT_OR_NOT, quiz_learner
from trilha.core.lists import Count
from trilha.core.types import Name, Timestamp
from trilha.people.business_units import actions as units
from trilha.people.business_units.schema import NewBusinessUnit
from trilha.people.users.reach import EVERYONE, Reach
from trilha.training.enrollments import actions as enrollments
from trilha.training.reports import overview, teaching, unit_counters
from trilha.training.reports.jobs import COUNT_UNITS
from web.panel.signing_in import signed_in, user_id

DRIVER = {
    "cpf": CPF,
    "phone": PHONE,
    "birth_date": "1980-01-01",
    "cnh": {"numero": CNH, "categoria": "E", "validade": "2030-01-01", "ear": True},
}
LET_LICENCES_RUN_OUT = """
    UPDATE users SET cnh = jsonb_set(cnh, '{validade}', '"2020-01-01"') WHERE tenant_id = :tenant"""


async def complete(world: World, enrollment: str) -> None:
    async with world.tx() as tx:
        await enrollments.start(tx, UUID(enrollment))
        await enrollments.complete(tx, UUID(enrollment))


async def test_a_new_company_has_nothing_to_look_at(world: World) -> None:
    admin = await signed_in(world)
    page = (await admin.get("/admin")).text
    assert "First steps" in page
    assert "No completions yet" not in page
    await world.enrollment()
    page = (await admin.get("/admin")).text
    assert "No completions yet" in page
    assert "Nothing needs your attention now." in page


async def test_what_needs_attention_is_told_with_where_to_go(world: World) -> None:
    soon = Timestamp.of(world.clock.now + timedelta(days=3))
    await world.enrollment(expires_at=soon)
    await world.enrollment(expires_at=Timestamp.of(world.clock.now + timedelta(days=15)))
    await world.key("users:read", lifetime=timedelta(days=10))
    async with world.tx() as tx:
        await units.create(tx, NewBusinessUnit(name=Name("Frota")))
    page = (await (await signed_in(world)).get("/admin")).text
    assert "1 enrollment is due within 14 days" in page
    assert "1 API key expires within 30 days" in page
    assert 'href="/admin/api-keys?state=expiring"' in page
    assert "3 people have no business unit" in page


async def test_a_licence_that_ran_out_while_somebody_drives_on(world: World) -> None:
    user = await world.user(**DRIVER)
    course = await world.course(regulation={"kind": "traffic"})
    place = await world.enrollment(user_id=user["id"], course_id=course)
    async with world.tx() as tx:
        assert (await overview.count(tx, EVERYONE)).licences == Count(0)
        await tx.execute(LET_LICENCES_RUN_OUT)
        assert (await overview.count(tx, EVERYONE)).licences == Count(1)
    admin = await signed_in(world)
    page = (await admin.get("/admin/people?licence_expired=true")).text
    assert user["email"] in page
    assert "Expired driver&#39;s license in a course that requires one" in page
    await complete(world, place["id"])
    assert user["email"] not in (await admin.get("/admin/people?licence_expired=true")).text


async def test_each_webhook_that_gave_up_leads_to_what_it_gave_up(world: World, post: Post) -> None:
    admin = await signed_in(world)
    made = [await post.endpoint(f"https://example.com/{name}", description=name) for name in ("ERP", "HR")]
    await post.happen()
    await post.relay()
    async with world.tx() as tx:
        await tx.execute(
            """
            UPDATE webhook_deliveries SET status = 'DEAD_LETTER', next_attempt_at = NULL
            WHERE tenant_id = :tenant
            """
        )
    page = html.unescape((await admin.get("/admin")).text)
    for endpoint in made:
        assert f"1 delivery to {endpoint['description']} failed permanently" in page
        (address,) = re.findall(rf'"(/admin/webhooks/{endpoint["id"]}[^"]*)"', page)
        assert "1 delivery" in (await admin.get(address)).text
    world.clock.move(days=9)
    assert "failed permanently" not in (await (await signed_in(world)).get("/admin")).text


async def test_completions_are_counted_in_the_month_they_happened(world: World) -> None:
    first, second = await world.enrollment(), await world.enrollment()
    await complete(world, first["id"])
    world.clock.move(days=31)
    await complete(world, second["id"])
    async with world.tx() as tx:
        shown = await overview.get(tx, EVERYONE)
        assert list(shown.completions.values())[-1] == 1
        assert (len(shown.completions), sum(shown.completions.values())) == (12, 2)
        assert shown.totals.open == 0


async def test_each_counts_what_they_reach(world: World) -> None:
    soon = Timestamp.of(world.clock.now + timedelta(days=3))
    manager, teacher = await signed_in(world, "gestor"), await signed_in(world, "instrutor")
    async with world.tx() as tx:
        unit = await units.create(tx, NewBusinessUnit(name=Name("Frota")))
        await units.set_managers(tx, unit.id, [user_id(manager)])
    own = await world.user(business_unit_id=str(unit.id))
    within, beyond = (
        await world.enrollment(user_id=own["id"], expires_at=soon),
        await world.enrollment(expires_at=soon),
    )
    async with world.tx() as tx:
        await tx.execute(
            "INSERT INTO course_teachers (tenant_id, course_id, user_id) VALUES (:tenant, :course, :user)",
            course=UUID(beyond["course_id"]),
            user=user_id(teacher),
        )
    await complete(world, within["id"])
    async with world.tx() as tx:
        of_manager = Reach("gestor", user_id(manager))
        of_teacher = Reach("instrutor", user_id(teacher))
        managed, taught = await overview.get(tx, of_manager), await overview.get(tx, of_teacher)
        assert managed.totals == overview.Totals(Count(1), Count(2), open=0, expired=0)
        assert taught.totals == overview.Totals(Count(1), Count(1), open=1, expired=0)
        assert (sum(managed.completions.values()), sum(taught.completions.values())) == (1, 0)
        assert (managed.attention.expiring, taught.attention.expiring) == (Count(0), Count(1))
    for client in (manager, teacher):
        page = await client.get("/admin")
        assert (page.status_code, "API key" in page.text) == (200, False)


async def test_another_company_is_not_counted(world: World, stranger: World) -> None:
    await complete(world, (await world.enrollment())["id"])
    async with stranger.tx() as tx:
        shown = await overview.get(tx, EVERYONE)
        assert (sum(shown.completions.values()), shown.totals.open) == (0, 0)


async def test_many_people_of_a_manager_are_counted_by_the_worker(world: World, stranger: World) -> None:
    manager = await signed_in(world, "gestor")
    reach = Reach("gestor", user_id(manager))
    async with world.tx() as tx:
        top = await units.create(tx, NewBusinessUnit(name=Name("Frota")))
        below = await units.create(tx, NewBusinessUnit(name=Name("Sul"), parent_id=top.id))
        await units.set_managers(tx, top.id, [user_id(manager)])
    person = await world.user(business_unit_id=str(below.id), **DRIVER)
    soon = Timestamp.of(world.clock.now + timedelta(days=3))
    driving = await world.course(regulation={"kind": "traffic"})
    await world.enrollment(user_id=person["id"], course_id=driving, expires_at=soon)
    await complete(world, (await world.enrollment(user_id=person["id"]))["id"])
    await complete(world, (await world.enrollment())["id"])  # of a person without a unit
    past = Timestamp.of(world.clock.now + timedelta(minutes=30))
    await world.enrollment(user_id=person["id"], expires_at=past)
    assert world.tenant.id in await COUNT_UNITS.due_tenants(world.database, world.tenant.id)
    assert await COUNT_UNITS.run_in(world.database, world.tenant.id) == 0
    assert world.tenant.id not in await COUNT_UNITS.due_tenants(world.database, world.tenant.id)
    async with world.tx() as tx:
        assert await unit_counters.find(tx, reach) is None  # there are few
        few = await overview.get(tx, reach)
        assert (few.counted_at, few.totals.people, few.totals.open) == (None, Count(1), 2)
        assert few.attention.expiring == Count(2)
        await tx.execute(
            """
            INSERT INTO users (tenant_id, email, name, role, business_unit_id, created_at, updated_at)
            SELECT :tenant, 'p' || n || '@example.com', 'P', 'learner', :unit, :now, :now
            FROM generate_series(1, CAST(:most AS int)) AS n
            RETURNING tenant_id
            """,
            unit=top.id,
            most=unit_counters.FEW_PEOPLE,
        )
        await tx.execute(LET_LICENCES_RUN_OUT)
    world.clock.move(minutes=61)
    async with world.tx() as tx:
        assert await enrollments.expire_due(tx) == 1
    assert world.tenant.id in await COUNT_UNITS.due_tenants(world.database, world.tenant.id)
    assert await COUNT_UNITS.run_in(world.database, world.tenant.id) == 2
    async with world.tx() as tx:
        for each in (reach, EVERYONE):
            counted = await unit_counters.find(tx, each)
            assert counted
            assert counted.counted_at == Timestamp.of(world.clock.now)
            assert replace(counted, counted_at=None) == await overview.count(tx, each)
            assert (counted.open, counted.expired) == (1, 1)
            assert (counted.expiring, counted.licences) == (Count(1), Count(1))
        assert counted.people.total > unit_counters.FEW_PEOPLE + 2
        assert sum(counted.completions.values()) == 2
        await tx.execute(
            "UPDATE users SET status = 'SUSPENDED' WHERE tenant_id = :tenant AND role = 'learner'"
        )
        of_all = await overview.get(tx, EVERYONE)
        assert (of_all.totals.people, of_all.counted_at) == (counted.people, counted.counted_at)
        assert (await overview.count(tx, EVERYONE)).people.total < counted.people.total
    assert "Figures as of" in (await manager.get("/admin")).text
    async with stranger.tx() as tx:
        assert await unit_counters.find(tx, reach) is None


async def test_a_new_company_is_told_how_to_begin(world: World) -> None:
    admin, manager = await signed_in(world), await signed_in(world, "gestor")
    assert "Publish your first course" in (await admin.get("/admin")).text
    for page in ("/admin/enrollments/new", "/admin/enrollments/many"):
        assert "No published courses yet" in (await admin.get(page)).text
    assert "/admin/courses/new" in (await admin.get("/admin/courses")).text
    assert "First steps" not in (await manager.get("/admin")).text
    await world.course()
    page = (await admin.get("/admin")).text
    assert page.count(">Done<") == 2  # people, since the manager exists, and the course
    assert "Enroll people in the course" in page
    await world.enrollment()
    assert "First steps" not in (await admin.get("/admin")).text
    assert "No published courses yet" not in (await admin.get("/admin/enrollments/new")).text


async def test_an_instructor_sees_answers_and_the_results_of_their_courses(world: World) -> None:
    teacher = await signed_in(world, "instrutor")
    assert "No courses yet" in (await teacher.get("/admin")).text
    ana = await quiz_learner(world, RIGHT_OR_NOT, ESSAY, pass_mark=50)
    other = await quiz_learner(world, RIGHT_OR_NOT)
    async with world.tx() as tx:
        await tx.execute(
            "INSERT INTO course_teachers (tenant_id, course_id, user_id) VALUES (:tenant, :course, :user)",
            course=ana.course_id,
            user=user_id(teacher),
        )
    quiz = await ana.take()
    await quiz.send(hand_in=True, true_false=True, essay="x")
    await (await other.take()).send(hand_in=True, true_false=False)
    page = (await teacher.get("/admin")).text
    assert "1 answer is waiting to be graded, since" in page
    async with world.tx() as tx:
        (course,) = await teaching.list_courses(tx, user_id(teacher))
    assert (course.people, course.completed, course.score, course.passed) == (1, 0, None, None)
    await ana.grade(100)
    async with world.tx() as tx:
        (course,) = await teaching.list_courses(tx, user_id(teacher))
    assert (course.people, course.completed, course.score, course.passed) == (1, 100, 100, 100)
    page = (await teacher.get("/admin")).text
    assert "waiting to be graded" not in page
    assert 'id="taught"' in page
    assert 'id="taught"' not in (await (await signed_in(world, "admin")).get("/admin")).text


async def test_people_come_before_technical_alerts(world: World) -> None:
    admin, manager = await signed_in(world), await signed_in(world, "gestor")
    async with world.tx() as tx:
        unit = await units.create(tx, NewBusinessUnit(name=Name("Frota")))
        await units.set_managers(tx, unit.id, [user_id(manager)])
    within = await world.user(business_unit_id=str(unit.id))
    await world.key("users:read", lifetime=timedelta(days=10))
    past = Timestamp.of(world.clock.now + timedelta(minutes=30))
    for each in (within, await world.user()):
        await world.enrollment(user_id=each["id"], expires_at=past)
    world.clock.move(minutes=31)
    async with world.tx() as tx:
        assert await enrollments.expire_due(tx) == 2
    page = (await admin.get("/admin")).text
    attention, technical = page.index("Needs your attention"), page.index("Technical alerts")
    assert attention < page.index("2 enrollments expired before the course was completed") < technical
    assert technical < page.index("1 API key expires within 30 days")
    assert 'href="/admin/enrollments?status=expired"' in page
    assert "2 enrollments" in (await admin.get("/admin/enrollments?status=expired")).text
    own = (await manager.get("/admin")).text
    assert "1 enrollment expired before the course was completed" in own
    assert "Technical alerts" not in own
