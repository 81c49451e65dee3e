"""/learn: the course to continue with, what is due this week, and due dates of learning paths."""

import re
from uuid import UUID

import httpx2

from conftest import World
from training.learning_paths.following import assign, complete, path
from web.learn.signing_in import learner
from web.learn.test_courses import enrolled, progressed, titles


async def home(client: httpx2.AsyncClient) -> str:
    answer = await client.get("/learn")
    assert answer.status_code == 200
    return answer.text


def week(page: str) -> list[tuple[str, str, str]]:
    """Returns address, title and due date in words under "This week"."""
    return re.findall(
        r'class="week__title"><a href="([^"]+)"[^>]*>([^<]+)<.*?<time class="due"[^>]*>([^<]+)<',
        page,
        re.DOTALL,
    )


def hero(page: str) -> str:
    return page.partition('<section class="hero')[2].partition("</section>")[0]


async def test_the_most_urgent_course_is_to_continue_with(world: World) -> None:
    user, client = await learner(world)
    await progressed(world, await enrolled(world, user["id"], "Begun"), 99.6)
    assert "Begun" in hero(await home(client))
    assert "Continue where you left off" in hero(await home(client))
    assert "99%" in hero(await home(client))
    urgent = await enrolled(world, user["id"], "Urgent", 1)
    page = await home(client)
    assert titles(page) == ["Urgent", "Begun"]
    assert "Due tomorrow" in hero(page)
    assert "Your next course" in hero(page)
    assert week(page) == [(f"/learn/enrollments/{urgent}", "Urgent", "Due tomorrow")]
    for address in ("/learn?show=completed", "/learn?show=expired"):
        other = (await client.get(address)).text
        assert not hero(other)
        assert "This week" not in other


async def test_what_is_due_later_is_not_of_this_week(world: World) -> None:
    user, client = await learner(world)
    await enrolled(world, user["id"], "Later", 8)
    page = await home(client)
    assert week(page) == []
    assert "Nothing is due in the next 7 days." in page
    assert "Due in 8 days" in hero(page)


async def test_a_week_with_much_to_do_says_how_much_more(world: World) -> None:
    user, client = await learner(world)
    for number in range(7):
        await enrolled(world, user["id"], f"Course {number}", 1 + number % 6)
    page = await home(client)
    assert len(week(page)) == 5
    assert "And 2 more below" in page


async def test_the_due_date_of_a_path_is_that_of_its_courses(world: World) -> None:
    user, client = await learner(world)
    begun = await enrolled(world, user["id"], "Brakes")
    assert "No due date" in hero(await home(client))
    async with world.tx() as tx:
        course: UUID = await tx.value(
            "SELECT course_id FROM enrollments WHERE tenant_id = :tenant AND id = :id", id=begun
        )
    path_id = await path(world, course, await world.course(title="Fog"), deadline_days=3)
    await assign(world, path_id, UUID(user["id"]))
    page = await home(client)
    assert {"Brakes", "Fog"} < set(titles(page))
    # The two courses, the path and this week.
    assert page.count("Due in 3 days") == 4
    assert "Motoristas novos" in hero(page)
    # The two courses of the path are due with it.
    assert week(page) == [(f"/learn/paths/{path_id}", "Motoristas novos", "Due in 3 days")]
    assert "Due in 3 days" in (await client.get(f"/learn/enrollments/{begun}")).text

    async with world.tx() as tx:
        await tx.execute(
            """
            UPDATE learning_path_assignments SET due_at = due_at - interval '5 days'
            WHERE tenant_id = :tenant AND user_id = :user_id
            """,
            user_id=UUID(user["id"]),
        )
    page = await home(client)
    assert "Was due 2 days ago" in hero(page)
    assert week(page) == [(f"/learn/paths/{path_id}", "Motoristas novos", "Was due 2 days ago")]


async def test_an_earlier_date_of_the_enrollment_comes_before_that_of_the_path(world: World) -> None:
    user, client = await learner(world)
    own = await enrolled(world, user["id"], "Brakes", 2)
    async with world.tx() as tx:
        course: UUID = await tx.value(
            "SELECT course_id FROM enrollments WHERE tenant_id = :tenant AND id = :id", id=own
        )
    path_id = await path(world, course, await world.course(title="Fog"), deadline_days=3)
    await assign(world, path_id, UUID(user["id"]))
    assert week(await home(client)) == [
        (f"/learn/enrollments/{own}", "Brakes", "Due in 2 days"),
        (f"/learn/paths/{path_id}", "Motoristas novos", "Due in 3 days"),
    ]


async def test_a_completed_path_has_no_due_date_any_more(world: World) -> None:
    user, client = await learner(world)
    done = await world.course(title="Fog")
    path_id = await path(world, done, deadline_days=3)
    await assign(world, path_id, UUID(user["id"]))
    await complete(world, UUID(user["id"]), done)
    await enrolled(world, user["id"], "Else")
    page = await home(client)
    assert week(page) == []
    assert "No due date" in hero(page)
