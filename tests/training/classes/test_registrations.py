"""Registrations: capacity, the waiting list, cancellation, and many at once."""

import asyncio
from operator import itemgetter
from typing import Any
from uuid import UUID, uuid4

import pytest

from conftest import World
from training.classes.classes import Classes, offer, refusal
from trilha.core.types import Timestamp
from trilha.training.classes import registering, registration_queries


async def people(world: World, count: int) -> list[str]:
    return [(await world.user())["id"] for _ in range(count)]


async def test_a_registration_enrolls_where_needed(world: World) -> None:
    classes = await offer(world)
    made = await classes.create()
    user = (await world.user())["id"]
    registration = await classes.register(made, user)
    enrollments = (await world.http.get("/v1/enrollments")).json()["data"]
    assert [each["id"] for each in enrollments] == [registration["enrollment_id"]]
    assert registration | {"id": "", "created_at": "", "updated_at": ""} == {
        "id": "",
        "class_id": made["id"],
        "user_id": user,
        "enrollment_id": enrollments[0]["id"],
        "status": "REGISTERED",
        "position": None,
        "created_at": "",
        "updated_at": "",
    }
    other = await classes.register(await classes.create(), user)
    assert other["enrollment_id"] == registration["enrollment_id"]
    path = f"/v1/classes/{made['id']}/registrations/{registration['id']}"
    assert (await world.http.get(path)).json()["data"] == registration
    assert await classes.list_registrations(made) == [registration]
    payload = {
        "registration_id": registration["id"],
        "class_id": made["id"],
        "user_id": user,
        "course_id": str(classes.course_id),
        "status": "REGISTERED",
    }
    assert (await world.events("registration.created"))[0] == ("registration.created", payload)


async def test_refused_registrations_leave_nothing(world: World, stranger: World) -> None:
    classes = await offer(world)
    made = await classes.create(maximum_people=1, waiting_list=False)
    assert refusal(await classes.register_response(made, uuid4())) == (404, "user_not_found")
    theirs = (await stranger.user())["id"]
    assert refusal(await classes.register_response(made, theirs)) == (404, "user_not_found")
    assert refusal(await classes.register_response({"id": uuid4()}, theirs)) == (404, "class_not_found")
    suspended = (await world.user())["id"]
    await world.http.post(f"/v1/users/{suspended}/suspend")
    assert refusal(await classes.register_response(made, suspended)) == (422, "user_not_active")
    first, second = await people(world, 2)
    await classes.register(made, first)
    assert refusal(await classes.register_response(made, first)) == (409, "already_registered")
    assert refusal(await classes.register_response(made, second)) == (409, "class_full")
    enrolled = (await world.http.get("/v1/enrollments")).json()["data"]
    assert [each["user_id"] for each in enrolled] == [first]
    assert len(await world.events("registration.created")) == 1


async def test_the_rules_of_enrollment_apply(world: World) -> None:
    regulation = {"kind": "occupational_safety", "required_profile_fields": ["cpf"]}
    classes = await offer(world, regulation=regulation)
    made = await classes.create()
    answer = await classes.register_response(made, (await world.user())["id"])
    assert refusal(answer) == (422, "regulatory_profile_missing")
    draft = await offer(world, publish=False)
    answer = await draft.register_response(await draft.create(), (await world.user())["id"])
    assert refusal(answer) == (422, "course_not_published")


async def test_enrolled_people_of_an_archived_course_are_registered(world: World) -> None:
    classes = await offer(world)
    enrollment = await world.enrollment(course_id=classes.course_id)
    made = await classes.create()
    assert (await world.http.post(f"/v1/courses/{classes.course_id}/archive")).status_code == 200
    registration = await classes.register(made, enrollment["user_id"])
    assert registration["enrollment_id"] == enrollment["id"]
    answer = await classes.post(
        f"classes/{(await classes.create())['id']}/registrations/bulk", user_ids=[enrollment["user_id"]]
    )
    assert answer.json()["data"]["registered"] == 1


async def test_who_waits_moves_up_in_order(world: World) -> None:
    classes = await offer(world)
    made = await classes.create(maximum_people=2)
    users = await people(world, 6)
    registrations = [await classes.register(made, each) for each in users]
    assert [(each["status"], each["position"]) for each in registrations] == [
        ("REGISTERED", None),
        ("REGISTERED", None),
        *(("WAITLISTED", n) for n in range(1, 5)),
    ]
    assert len(await world.events("registration.waitlisted")) == 4
    assert len(await world.events("registration.created")) == 2
    cancelled = await classes.unregister(registrations[0], reason="Férias")
    assert (cancelled["status"], cancelled["position"]) == ("CANCELLED", None)
    assert {user for user, _ in await standing(classes, made)} == {users[1], users[2]}
    assert await waiting(classes, made) == [(users[3], 1), (users[4], 2), (users[5], 3)]
    events = [each[0] for each in await world.events() if each[0].startswith("registration.")]
    assert events[-2:] == ["registration.cancelled", "registration.created"]
    # Who waits and cancels moves nobody up.
    await classes.unregister(registrations[3])
    assert await waiting(classes, made) == [(users[4], 1), (users[5], 2)]
    assert len(await world.events("registration.created")) == 3
    # Again, without a body: nothing happens.
    path = f"/v1/classes/{made['id']}/registrations/{registrations[3]['id']}/cancel"
    assert (await world.http.post(path)).json()["data"]["status"] == "CANCELLED"
    assert len(await world.events("registration.cancelled")) == 2
    # Who has cancelled is at the end.
    again = await classes.register(made, users[0])
    assert (again["status"], again["position"]) == ("WAITLISTED", 3)
    answer = await world.http.patch(f"/v1/classes/{made['id']}", json={"maximum_people": 4})
    assert (answer.json()["data"]["registered"], answer.json()["data"]["waitlisted"]) == (4, 1)
    assert await waiting(classes, made) == [(users[0], 1)]
    answer = await world.http.patch(f"/v1/classes/{made['id']}", json={"maximum_people": 3})
    assert refusal(answer) == (409, "capacity_below_registered")
    # That more are needed for the class to take place does not hide it.
    await world.http.patch(f"/v1/classes/{made['id']}", json={"minimum_people": 4})
    answer = await world.http.patch(f"/v1/classes/{made['id']}", json={"maximum_people": 3})
    assert refusal(answer) == (409, "capacity_below_registered")
    assert (await classes.read(made))["maximum_people"] == 4


async def standing(classes: Classes, made: dict[str, Any]) -> list[tuple[str, int | None]]:
    listed = await classes.list_registrations(made, status="REGISTERED")
    return [(each["user_id"], each["position"]) for each in listed]


async def waiting(classes: Classes, made: dict[str, Any]) -> list[tuple[str, int | None]]:
    """Who waits, by position. The list itself is by id, which a clock that stands still leaves to chance."""
    listed = await classes.list_registrations(made, status="WAITLISTED")
    return sorted([(each["user_id"], each["position"]) for each in listed], key=itemgetter(1))


async def test_nobody_passes_the_waiting_list_that_was_closed(world: World) -> None:
    classes = await offer(world)
    made = await classes.create(maximum_people=1)
    first, second, third = await people(world, 3)
    place = await classes.register(made, first)
    await classes.register(made, second)
    await world.http.patch(f"/v1/classes/{made['id']}", json={"waiting_list": False})
    assert refusal(await classes.register_response(made, third)) == (409, "class_full")
    await classes.unregister(place)
    assert await standing(classes, made) == [(second, None)]


async def test_a_cancelled_class_moves_nobody_up(world: World) -> None:
    classes = await offer(world)
    made = await classes.create(maximum_people=1)
    place, _ = [await classes.register(made, each) for each in await people(world, 2)]
    await classes.post(f"classes/{made['id']}/cancel", reason="Chuva")
    assert (await classes.unregister(place))["status"] == "CANCELLED"
    assert len(await waiting(classes, made)) == 1


@pytest.mark.parametrize("count", [12])
async def test_people_at_once_never_pass_the_capacity(world: World, count: int) -> None:
    classes = await offer(world)
    made = await classes.create(maximum_people=5)
    users = await people(world, count)
    answers = await asyncio.gather(*(classes.register_response(made, each) for each in users * 2))
    statuses = sorted(answer.status_code for answer in answers)
    assert statuses == [201] * count + [409] * count
    read = await classes.read(made)
    assert (read["registered"], read["waitlisted"]) == (5, count - 5)
    assert [position for _, position in await waiting(classes, made)] == list(range(1, count - 4))
    assert len(await world.events("registration.created")) == 5


async def test_cancellations_at_once_move_up_one_each_in_order(world: World) -> None:
    classes = await offer(world)
    made = await classes.create(maximum_people=4)
    users = await people(world, 10)
    registrations = [await classes.register(made, each) for each in users]
    late = await people(world, 3)
    await asyncio.gather(
        *(classes.unregister(each) for each in registrations[:4]),
        *(classes.unregister(each) for each in registrations[:4]),
        *(classes.register(made, each) for each in late),
    )
    assert {user for user, _ in await standing(classes, made)} == set(users[4:8])
    listed = await waiting(classes, made)
    assert [user for user, _ in listed[:2]] == users[8:]
    assert [position for _, position in listed] == [1, 2, 3, 4, 5]
    read = await classes.read(made)
    assert (read["registered"], read["waitlisted"]) == (4, 5)
    assert len(await world.events("registration.cancelled")) == 4


async def test_many_are_registered_at_once(world: World, stranger: World) -> None:
    classes = await offer(world)
    made = await classes.create(maximum_people=3)
    users = await people(world, 5)
    await classes.register(made, users[0])
    suspended = (await world.user())["id"]
    await world.http.post(f"/v1/users/{suspended}/suspend")
    theirs = (await stranger.user())["id"]
    ids = [users[0], users[1], theirs, users[2], users[1], suspended, users[3], users[4]]
    answer = await classes.post(f"classes/{made['id']}/registrations/bulk", user_ids=ids)
    assert answer.status_code == 201, answer.text
    data = answer.json()["data"]
    counts = {name: data[name] for name in ("registered", "waitlisted", "skipped", "failed")}
    assert counts == {"registered": 2, "waitlisted": 2, "skipped": 2, "failed": 2}
    assert [(each["index"], each["user_id"], each["code"]) for each in data["errors"]] == [
        (2, theirs, "user_not_found"),
        (5, suspended, "user_not_active"),
    ]
    assert answer.json()["_meta"] == {"warnings": []}
    assert {user for user, _ in await standing(classes, made)} == set(users[:3])
    assert await waiting(classes, made) == [(users[3], 1), (users[4], 2)]
    again = await classes.post(f"classes/{made['id']}/registrations/bulk", user_ids=users)
    assert again.json()["data"]["skipped"] == 5
    assert len(await world.events("registration.created")) == 3
    too_many = await classes.post(f"classes/{made['id']}/registrations/bulk", user_ids=[users[0]] * 1001)
    assert refusal(too_many) == (400, "too_long")


async def test_without_a_waiting_list_a_bulk_fills_the_class(world: World) -> None:
    regulation = {"kind": "occupational_safety", "required_profile_fields": ["cpf"]}
    classes = await offer(world, regulation=regulation)
    made = await classes.create(maximum_people=2, waiting_list=False)
    cpfs = ["529.982.247-25", "111.444.777-35", "935.411.347-80"]
    bare = (await world.user())["id"]
    users = [(await world.user(cpf=each))["id"] for each in cpfs]
    answer = await classes.post(
        f"classes/{made['id']}/registrations/bulk", user_ids=[users[0], bare, *users[1:]]
    )
    data = answer.json()["data"]
    assert (data["registered"], data["waitlisted"], data["failed"]) == (2, 0, 2)
    assert [(each["index"], each["code"]) for each in data["errors"]] == [
        (1, "regulatory_profile_missing"),
        (3, "class_full"),
    ]
    enrolled = (await world.http.get("/v1/enrollments")).json()["data"]
    assert {each["user_id"] for each in enrolled} == set(users[:2])


async def test_a_cancelled_enrollment_frees_its_places(world: World) -> None:
    classes = await offer(world)
    made = await classes.create(maximum_people=1)
    first, second = await people(world, 2)
    place = await classes.register(made, first)
    await classes.register(made, second)
    assert (await world.http.delete(f"/v1/enrollments/{place['enrollment_id']}")).status_code == 204
    await classes.judge()
    assert await standing(classes, made) == [(second, None)]
    # The place was that of the enrollment.
    again = await classes.register(made, first)
    assert again["enrollment_id"] != place["enrollment_id"]


async def test_changed_numbers_of_people_are_changes_of_the_class(world: World) -> None:
    classes = await offer(world)
    made = await classes.create(maximum_people=1)
    (user,) = await people(world, 1)

    async def list_changed() -> list[tuple[int, int]]:
        since = Timestamp.of(world.clock())
        answer = await world.http.get("/v1/classes", params={"updated_since": since})
        world.clock.move(minutes=1)
        return [(each["registered"], each["waitlisted"]) for each in answer.json()["data"]]

    world.clock.move(minutes=1)
    assert await list_changed() == []
    place = await classes.register(made, user)
    assert await list_changed() == [(1, 0)]
    await classes.register(made)
    assert await list_changed() == [(1, 1)]
    await classes.unregister(place)
    assert await list_changed() == [(1, 0)]


async def test_a_place_that_moved_to_a_new_enrollment_is_not_freed(world: World) -> None:
    classes = await offer(world)
    made = await classes.create(classes.session(-1, 4))
    (user,) = await people(world, 1)
    place = await classes.register(made, user)
    async with world.tx() as tx:
        read_before = await registration_queries.list_open_of_user(tx, UUID(user))
    assert (await world.http.delete(f"/v1/enrollments/{place['enrollment_id']}")).status_code == 204
    renewed = await world.enrollment(user_id=user, course_id=classes.course_id)
    # Recording attendance moves the place, before the class is locked to free it.
    await classes.attend(made["sessions"][0]["id"], {user: 60})
    async with world.tx() as tx:
        await registering.cancel_all(tx, read_before)
    (kept,) = await classes.list_registrations(made)
    assert (kept["status"], kept["enrollment_id"]) == ("REGISTERED", renewed["id"])


async def test_registrations_are_filtered(world: World) -> None:
    classes = await offer(world)
    made = await classes.create(maximum_people=1)
    one, other = [await classes.register(made, each) for each in await people(world, 2)]
    await classes.unregister(one)
    assert [each["id"] for each in await classes.list_registrations(made, status="cancelled")] == [one["id"]]
    assert [each["id"] for each in await classes.list_registrations(made, user_id=other["user_id"])] == [
        other["id"]
    ]
    path = f"/v1/classes/{(await classes.create())['id']}/registrations/{one['id']}"
    assert refusal(await world.http.get(path)) == (404, "registration_not_found")
    assert refusal(await world.http.post(f"{path}/cancel", json={})) == (404, "registration_not_found")
