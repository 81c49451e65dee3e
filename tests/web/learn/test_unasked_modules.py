"""/learn/enrollments/{id}/modules/{module_id} without the person having asked for the module."""

import pytest

from conftest import World
from training.learning.students import article, student
from web.learn.test_course_page import of


async def launches(world: World) -> int:
    async with world.tx() as tx:
        count: int = await tx.value("SELECT count(*) FROM launches WHERE tenant_id = :tenant")
    return count


@pytest.mark.parametrize(
    "headers",
    [
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-origin", "sec-purpose": "prefetch;prerender"},
        {"sec-fetch-site": "same-origin", "purpose": "prefetch"},
    ],
)
async def test_a_module_is_offered_and_not_launched(world: World, headers: dict[str, str]) -> None:
    ana = await student(world, article())
    client = await of(world, ana)
    address = f"/learn/enrollments/{ana.id}/modules/{ana.modules[0]}"
    answer = await client.get(address, headers=headers)
    assert (answer.status_code, f'href="{address}"' in answer.text) == (200, True)
    assert "Open module" in answer.text
    assert await launches(world) == 0
    assert "<iframe" in (await client.get(address, headers={"sec-fetch-site": "same-origin"})).text
    assert await launches(world) == 0


async def test_a_launch_is_made_by_our_own_page_alone(world: World) -> None:
    ana = await student(world, article())
    client = await of(world, ana)
    address = f"/learn/enrollments/{ana.id}/modules/{ana.modules[0]}/launches"
    assert (await client.post(address, headers={"sec-fetch-site": "cross-site"})).status_code == 403
    assert (await client.get(address)).status_code == 405
    assert await launches(world) == 0
    made = await client.post(address, headers={"sec-fetch-site": "same-origin"})
    assert (made.status_code, made.json()["review"]) == (200, False)
    assert await launches(world) == 1
