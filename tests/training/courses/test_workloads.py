"""What the minutes of modules count as: theory or practice, at a distance or in person."""

import pytest

from conftest import World
from training.classes.classes import offer
from trilha.training.courses.workloads import Workload, sum_workloads


def kinds(module: dict[str, object]) -> tuple[object, object]:
    return module["workload_kind"], module["delivery"]


async def test_a_module_is_theory_at_a_distance_unless_it_says_otherwise(world: World) -> None:
    path = f"/v1/courses/{await world.course()}/modules"
    text = {"title": "Texto", "body": "x"}
    plain = (await world.http.post(path, json=text)).json()["data"]
    assert kinds(plain) == ("THEORY", "DISTANCE")
    chosen = {"workload_kind": "PRACTICE", "delivery": "IN_PERSON"}
    made = (await world.http.post(path, json=text | chosen)).json()["data"]
    assert kinds(made) == ("PRACTICE", "IN_PERSON")
    changed = await world.http.patch(f"{path}/{made['id']}", json={"delivery": None})
    assert kinds(changed.json()["data"]) == ("PRACTICE", "DISTANCE")
    changed = await world.http.patch(f"{path}/{made['id']}", json={"workload_kind": None})
    assert kinds(changed.json()["data"]) == ("THEORY", "DISTANCE")
    assert kinds((await world.http.get(path)).json()["data"][-1]) == ("THEORY", "DISTANCE")


@pytest.mark.parametrize("members", [{"workload_kind": "BOTH"}, {"delivery": "HYBRID"}, {"delivery": 1}])
async def test_another_kind_is_refused(world: World, members: dict[str, object]) -> None:
    path = f"/v1/courses/{await world.course()}/modules"
    assert (await world.http.post(path, json={"title": "T", "body": "x"} | members)).status_code == 400


async def test_a_class_with_a_room_is_in_person(world: World) -> None:
    classes = await offer(world)
    path = f"/v1/courses/{classes.course_id}/modules"
    online = await classes.create(classes.session(24))
    assert kinds((await world.http.get(path)).json()["data"][-1]) == ("THEORY", "DISTANCE")
    await world.http.patch(f"/v1/sessions/{online['sessions'][0]['id']}", json={"room": "Sala 3"})
    assert kinds((await world.http.get(path)).json()["data"][-1]) == ("THEORY", "IN_PERSON")
    await world.http.post(f"/v1/classes/{online['id']}/cancel", json={"reason": "x"})
    assert kinds((await world.http.get(path)).json()["data"][-1]) == ("THEORY", "DISTANCE")


def test_minutes_add_up_by_kind() -> None:
    parts = [("PRACTICE", "IN_PERSON", 60), ("THEORY", "DISTANCE", 30), ("PRACTICE", "IN_PERSON", 15)]
    assert sum_workloads(parts) == [
        Workload("THEORY", "DISTANCE", 30),
        Workload("PRACTICE", "IN_PERSON", 75),
    ]
