"""/learn/paths/{id}: the steps of a learning path as a picture, in order."""

import re
from uuid import UUID

from conftest import World
from training.learning_paths.following import assign, complete, path
from web.learn.signing_in import learner


async def test_the_steps_are_a_list_in_order(world: World) -> None:
    user, client = await learner(world)
    courses = [await world.course(title=title) for title in ("Brakes", "Fog", "Rain")]
    path_id = await path(
        world, *courses, in_order=True, deadline_days=3, description="For drivers.\nAll of them."
    )
    await assign(world, path_id, UUID(user["id"]))
    await complete(world, UUID(user["id"]), courses[0])
    page = (await client.get(f"/learn/paths/{path_id}")).text
    assert re.findall(r'data-step="(\w+)"', page.partition('<ol class="trail')[2].partition("</ol>")[0]) == [
        *("done", "current", "locked"),
    ]
    assert page.count('aria-current="step"') == 1
    steps = re.split(r'<li class="trail__step', page)[1:]
    for step, title, words in zip(
        steps,
        ("Brakes", "Fog", "Rain"),
        ("Completed on", "Due in 3 days", "Complete the previous course first."),
        strict=True,
    ):
        assert title in step
        assert words in step
        assert '<svg class="cover"' in step
    # The way is solid where it is behind the learner.
    assert [step.count("trail__walked") for step in steps] == [1, 1, 0]
    assert "End of the learning path" in page
    assert '<p class="prose lines">For drivers.\nAll of them.</p>' in page


async def test_at_the_end_there_is_a_trophy(world: World) -> None:
    user, client = await learner(world)
    course = await world.course(title="Fog")
    path_id = await path(world, course)
    await assign(world, path_id, UUID(user["id"]))
    await complete(world, UUID(user["id"]), course)
    page = (await client.get(f"/learn/paths/{path_id}")).text
    assert "Learning path completed" in page
    assert "End of the learning path" not in page


async def test_account_security_is_in_the_menu_and_on_the_profile(world: World) -> None:
    _, client = await learner(world)
    page = (await client.get("/learn/profile")).text
    assert "Go to account security" in page
    menu = page.partition('<nav class="learnbar__nav"')[2].partition("</nav>")[0]
    assert 'href="/learn/security"' in menu
