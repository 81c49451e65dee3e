"""How often one person may open modules in a minute."""

from conftest import World
from training.learning.students import article, student
from web.learn.test_course_page import of
from web.learn.test_unasked_modules import launches

MOST_BYTES = 4096
OURS = {"sec-fetch-site": "same-origin"}


async def test_one_person_opens_sixty_modules_a_minute(world: World) -> None:
    ana, bia = await student(world, article()), await student(world, article())
    client = await of(world, ana)
    address = f"/learn/enrollments/{ana.id}/modules/{ana.modules[0]}/launches"
    statuses = [(await client.post(address, headers=OURS)).status_code for _ in range(60)]
    assert set(statuses) == {200}
    refused = await client.post(address, headers=OURS)
    assert (refused.status_code, await launches(world)) == (429, 60)
    assert 0 < int(refused.headers["retry-after"]) <= 60
    # Other people are not affected, and after a minute this person can continue.
    others = await of(world, bia)
    theirs = f"/learn/enrollments/{bia.id}/modules/{bia.modules[0]}/launches"
    assert (await others.post(theirs, headers=OURS)).status_code == 200
    world.clock.move(minutes=1)
    assert (await client.post(address, headers=OURS)).status_code == 200


async def test_a_launch_takes_no_body(world: World) -> None:
    ana = await student(world, article())
    client = await of(world, ana)
    address = f"/learn/enrollments/{ana.id}/modules/{ana.modules[0]}/launches"
    answer = await client.post(address, headers=OURS, content=b"x" * (MOST_BYTES + 1))
    assert (answer.status_code, await launches(world)) == (413, 0)
