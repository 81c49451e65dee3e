"""/learn: my courses."""

import re
from datetime import timedelta
from uuid import UUID

from conftest import World
from trilha.core.types import Timestamp
from trilha.core.web.parsing import convert
from trilha.training.courses import actions as courses
from trilha.training.courses.schema import NewCourse
from trilha.training.enrollments import queries
from web.learn.signing_in import learner, signed_in


def titles(page: str) -> list[str]:
    return re.findall(r'class="course__title"[^>]*><a href="[^"]+"[^>]*>([^<]+)<', page)


async def enrolled(world: World, user: str, title: str, days: int | None = None) -> UUID:
    course = await world.course(title=title)
    expires = {} if days is None else {"expires_at": Timestamp.of(world.clock.now + timedelta(days=days))}
    return UUID((await world.enrollment(user_id=user, course_id=course, **expires))["id"])


async def progressed(world: World, enrollment: UUID, progress: float, *, complete: bool = False) -> None:
    async with world.tx() as tx:
        await queries.start(tx, enrollment)
        await queries.advance(tx, enrollment, progress, None)
        if complete:
            await queries.complete(tx, enrollment)


async def test_what_to_go_on_with_comes_first(world: World) -> None:
    user, client = await learner(world)
    await enrolled(world, user["id"], "Whenever")
    await enrolled(world, user["id"], "In two months", 60)
    await progressed(world, await enrolled(world, user["id"], "Begun before", 90), 99.6)
    world.clock.move(minutes=1)
    await progressed(world, await enrolled(world, user["id"], "Begun later"), 10)
    await enrolled(world, user["id"], "In five days", 5)
    await enrolled(world, user["id"], "Tomorrow", 1)
    await progressed(world, await enrolled(world, user["id"], "Done"), 100, complete=True)
    page = (await client.get("/learn")).text
    assert titles(page) == [
        *("Tomorrow", "In five days", "Begun later", "Begun before", "In two months", "Whenever"),
    ]
    assert "99%" in page  # 99.6 does not count as done
    assert "100%" not in page
    assert page.count("Start: Tomorrow") + page.count("Open course: Tomorrow") == 1
    assert "Due tomorrow" in page
    assert titles((await client.get("/learn?show=completed")).text) == ["Done"]
    world.clock.move(days=2)
    client = await signed_in(world, user["email"])
    assert titles((await client.get("/learn?show=expired")).text) == ["Tomorrow"]
    assert titles((await client.get("/learn")).text)[0] == "In five days"


async def test_a_long_list_goes_on_once_each(world: World) -> None:
    user, client = await learner(world)
    names = [f"Course {number}" for number in range(7)]
    for number, name in enumerate(names):
        await enrolled(world, user["id"], name, 20 + number)
    seen, address = list[str](), "/learn?limit=3"
    while address:
        page = (await client.get(address)).text
        seen += titles(page)
        found = re.search(r'href="(/learn\?show=open[^"]+)"', page)
        address = found[1].replace("&amp;", "&") + "&limit=3" if found else ""
    assert seen == names
    rows = await client.get("/learn?limit=3", headers={"hx-request": "true"})
    assert "<main" in rows.text  # the page's own part, without the shell
    more = re.search(r'href="(/learn\?show=open[^"]+)"', rows.text)
    assert more
    part = await client.get(more[1].replace("&amp;", "&"), headers={"hx-request": "true"})
    assert "<html" not in part.text
    assert titles(part.text)[0] == "Course 3"


async def test_nothing_yet(world: World) -> None:
    _, client = await learner(world)
    assert "You have no courses yet" in (await client.get("/learn")).text


async def test_a_course_and_what_it_asks_for(world: World) -> None:
    user, client = await learner(world)
    raw = {
        "title": "Traffic",
        "slug": "traffic",
        "description": "What to do in fog.",
        "regulation": {"kind": "traffic", "required_profile_fields": ["cpf", "phone"]},
        "modules": [
            {"title": "Fog", "duration_minutes": 45},
            {"title": "Rain", "duration_minutes": 0, "required": False},
        ],
    }
    enrollment = await enrolled(world, user["id"], "Plain")
    async with world.tx() as tx:
        course = await courses.create(tx, convert(NewCourse, raw, tx.today))
        await courses.publish(tx, course.id)
        await tx.execute(
            "UPDATE all_enrollments SET course_id = :course WHERE tenant_id = :tenant AND id = :id",
            course=course.id,
            id=enrollment,
        )
    page = (await client.get(f"/learn/enrollments/{enrollment}")).text
    for words in (
        "Traffic",
        "What to do in fog.",
        "Fog",
        "45 min",
        "optional",
        "Not started",
        "CPF and Phone",
    ):
        assert words in page
    assert f"/learn/profile/documents?enrollment={enrollment}" in page
    assert "Your courses require documents" in (await client.get("/learn/profile")).text


async def test_only_my_own(world: World, stranger: World) -> None:
    _, client = await learner(world)
    colleague = await world.enrollment()
    foreign = await stranger.enrollment()
    for id in (colleague["id"], foreign["id"], UUID(int=1), "x"):
        assert (await client.get(f"/learn/enrollments/{id}")).status_code == 404
    assert titles((await client.get("/learn")).text) == []


async def test_every_role_learns(world: World) -> None:
    for role in ("gestor", "instrutor", "learner"):
        user, client = await learner(world, role=role)
        await enrolled(world, user["id"], f"For {role}")
        assert titles((await client.get("/learn")).text) == [f"For {role}"]
    nobody = world.client()
    assert (await nobody.get("/learn")).headers["location"] == "/login?next=/learn"
