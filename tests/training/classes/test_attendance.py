"""Attendance, and what it completes."""

from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from conftest import World
from training.classes.classes import Classes, offer, refusal
from training.learning.students import Student, article
from trilha.core.types import Timestamp
from trilha.training.learning.evidence import verification
from trilha.training.learning.evidence.queries import list_entries


async def verify(world: World, enrollment_id: str) -> str:
    async with world.tx() as tx:
        return (await verification.verify(tx, UUID(enrollment_id))).problem


async def test_attendance_completes_the_course(world: World) -> None:
    classes = await offer(world)
    made = await classes.create(classes.session(-30, 4), classes.session(-6, 4))
    one, two = (each["id"] for each in made["sessions"])
    registration = await classes.register(made)
    user = registration["user_id"]
    empty = {"user_id": user, "minutes": 0, "method": None, "recorded_at": None}
    assert await classes.list_attendance(one) == [empty]
    (recorded,) = await classes.attend(one, {user: 240})
    assert recorded["minutes"] == 240
    assert (recorded["method"], bool(recorded["recorded_at"])) == ("LIST", True)
    assert await classes.list_attendance(one) == [recorded]
    await classes.judge()
    enrollment = await classes.enrollment(registration)
    assert (enrollment["status"], enrollment["progress"]) == ("IN_PROGRESS", 50)
    await classes.attend(two, {user: 239})
    await classes.judge()
    assert (await classes.enrollment(registration))["status"] == "IN_PROGRESS"
    await classes.attend(two, {user: 240}, reason="Contagem errada")
    await classes.judge()
    enrollment = await classes.enrollment(registration)
    assert (enrollment["status"], enrollment["progress"]) == ("COMPLETED", 100)
    certificates = (await world.http.get("/v1/certificates")).json()["data"]
    assert [each["enrollment_id"] for each in certificates] == [enrollment["id"]]
    payload = {"session_id": two, "class_id": made["id"], "user_id": user}
    assert [each[1] for each in await world.events("attendance.recorded")][1:] == [
        payload | {"minutes": 239},
        payload | {"minutes": 240},
    ]
    assert await verify(world, enrollment["id"]) == ""
    async with world.tx() as tx:
        entries = await list_entries(tx, UUID(enrollment["id"]), 0, 10)
    assert [each.kind for each in entries] == ["attended", "attended", "attended", "completed"]
    assert "Contagem" not in entries[2].detail
    assert '"minutes_before":239' in entries[2].detail


async def test_presence_of_75_percent_is_enough_where_the_course_says_so(world: World) -> None:
    classes = await offer(world, percent=75)
    made = await classes.create(classes.session(-30, 2), classes.session(-6, 2))
    one, two = (each["id"] for each in made["sessions"])
    registration = await classes.register(made)
    await classes.attend(one, {registration["user_id"]: 120})
    await classes.attend(two, {registration["user_id"]: 59})
    await classes.judge()
    assert (await classes.enrollment(registration))["status"] == "IN_PROGRESS"
    await classes.attend(two, {registration["user_id"]: 60}, reason="Contagem errada")
    await classes.judge()
    assert (await classes.enrollment(registration))["status"] == "COMPLETED"


async def test_a_hybrid_course_needs_both_parts(world: World) -> None:
    classes = await offer(world, {"title": "Teoria", "duration_minutes": 10} | article(10))
    made = await classes.create(classes.session(-6))
    registration = await classes.register(made)
    ana = Student(world, await classes.enrollment(registration), classes.modules)
    await classes.attend(made["sessions"][0]["id"], {registration["user_id"]: 240})
    await classes.judge()
    assert (await ana.read())["status"] == "IN_PROGRESS"
    player = await ana.open()
    world.clock.move(seconds=60)
    await player.tell(seconds=60, furthest=1, position=1)
    assert (await ana.read())["status"] == "COMPLETED"


async def test_the_workload_counts_presence(world: World) -> None:
    regulation = {
        "kind": "occupational_safety",
        "minimum_workload_minutes": 240,
        "required_profile_fields": [],
    }
    classes = await offer(world, regulation=regulation, percent=75)
    made = await classes.create(classes.session(-30), classes.session(-20, 1))
    registration = await classes.register(made)
    one, two = (each["id"] for each in made["sessions"])
    await classes.attend(one, {registration["user_id"]: 239})
    await classes.judge()
    assert (await classes.enrollment(registration))["status"] == "IN_PROGRESS"
    await classes.attend(two, {registration["user_id"]: 1})
    await classes.judge()
    assert (await classes.enrollment(registration))["status"] == "COMPLETED"


async def test_a_list_is_recorded_whole_or_not_at_all(world: World) -> None:
    classes = await offer(world)
    made = await classes.create(classes.session(-6))
    session = made["sessions"][0]["id"]
    users = [(await classes.register(made))["user_id"] for _ in range(3)]
    other = (await world.user())["id"]
    entries = [{"user_id": each, "minutes": 10} for each in users]
    wrong = [
        ({"user_id": other, "minutes": 10}, (422, "not_registered")),
        ({"user_id": users[0], "minutes": 20}, (400, "duplicate_user")),
        ({"user_id": str(uuid4()), "minutes": 241}, (400, "out_of_range")),
        ({"user_id": str(uuid4()), "minutes": -1}, (400, "out_of_range")),
        ({"user_id": str(uuid4()), "minutes": 1.5}, (400, "invalid_type")),
        ({"user_id": str(uuid4()), "minutes": "10"}, (400, "invalid_type")),
        ({"user_id": str(uuid4())}, (400, "required")),
        ({"user_id": str(uuid4()), "minutes": 1, "reason": ""}, (400, "too_short")),
    ]
    for entry, expected in wrong:
        assert refusal(await classes.attend_response(session, *entries, entry)) == expected, entry
    assert [each["method"] for each in await classes.list_attendance(session)] == [None] * 3
    assert await world.events("attendance.recorded") == []
    await classes.attend(session, dict.fromkeys(users, 10))
    world.clock.move(seconds=1)
    changed = [{"user_id": each, "minutes": 20, "reason": "Erro"} for each in users[:2]]
    missing = {"user_id": users[2], "minutes": 20}
    answer = await classes.attend_response(session, *changed, missing)
    assert refusal(answer) == (400, "required")
    assert answer.json()["error"]["field"] == "entries.2.reason"
    assert [each["minutes"] for each in await classes.list_attendance(session)] == [10] * 3
    assert (await classes.attend_response(session)).json()["data"] == []


async def test_the_same_again_changes_nothing(world: World) -> None:
    classes = await offer(world)
    made = await classes.create(classes.session(-6))
    session, registration = made["sessions"][0]["id"], await classes.register(made)
    first = await classes.attend(session, {registration["user_id"]: 30})
    world.clock.move(seconds=60)
    assert await classes.attend(session, {registration["user_id"]: 30}) == first
    assert await classes.attend(session, {registration["user_id"]: 30}, reason="Nada") == first
    assert len(await world.events("attendance.recorded")) == 1
    async with world.tx() as tx:
        assert await tx.value("SELECT count(*) FROM attendance_corrections WHERE tenant_id = :tenant") == 0


async def test_attendance_needs_a_started_session_that_is_not_cancelled(world: World) -> None:
    classes = await offer(world)
    made = await classes.create(classes.session(1), classes.session(-6))
    past, future = (each["id"] for each in made["sessions"])
    user = (await classes.register(made))["user_id"]
    entry = {"user_id": user, "minutes": 10}
    assert refusal(await classes.attend_response(future, entry)) == (422, "session_not_started")
    await classes.post(f"sessions/{past}/cancel", reason="Chuva")
    assert refusal(await classes.attend_response(past, entry)) == (422, "session_cancelled")
    assert refusal(await classes.attend_response(str(uuid4()), entry)) == (404, "class_session_not_found")
    world.clock.move(hours=1)
    assert (await classes.attend_response(future, entry)).status_code == 200
    await classes.post(f"classes/{made['id']}/cancel", reason="Chuva")
    assert refusal(await classes.attend_response(future, entry)) == (422, "session_cancelled")


async def test_who_waits_is_not_registered(world: World) -> None:
    classes = await offer(world)
    made = await classes.create(classes.session(-6), maximum_people=1)
    await classes.register(made)
    waiting = await classes.register(made)
    answer = await classes.attend_response(
        made["sessions"][0]["id"], {"user_id": waiting["user_id"], "minutes": 10}
    )
    assert refusal(answer) == (422, "not_registered")
    assert answer.json()["error"]["detail"] == {"user_ids": [waiting["user_id"]]}
    assert len(await classes.list_attendance(made["sessions"][0]["id"])) == 1


async def progress(classes: Classes, registration: dict[str, str]) -> float:
    async with classes.world.tx() as tx:
        found: float = await tx.value(
            """
            SELECT progress FROM module_progress
            WHERE tenant_id = :tenant AND enrollment_id = :id AND module_id = :module_id
            """,
            id=registration["enrollment_id"],
            module_id=classes.class_module,
        )
    return found


async def test_presence_follows_every_change(world: World) -> None:
    """The first module is never completed, so that the course stays open."""
    classes = await offer(world, {"title": "Teoria", "duration_minutes": 10})
    made = await classes.create(classes.session(-30), classes.session(-6))
    one, two = (each["id"] for each in made["sessions"])
    registration = await classes.register(made)
    user = registration["user_id"]
    await classes.attend(one, {user: 240})
    await classes.judge()
    assert await progress(classes, registration) == 50
    await classes.post(f"sessions/{two}/cancel", reason="Chuva")
    await classes.judge()
    assert await progress(classes, registration) == 100
    await classes.post(f"classes/{made['id']}/sessions", **classes.session(-5, 12))
    await classes.judge()
    assert await progress(classes, registration) == 25
    await classes.attend(one, {user: 120}, reason="Saiu cedo")
    await classes.judge()
    assert await progress(classes, registration) == 12.5
    await classes.unregister(registration)
    await classes.judge()
    assert await progress(classes, registration) == 0
    await classes.register(made, user)
    await classes.judge()
    assert await progress(classes, registration) == 12.5
    await classes.post(f"classes/{made['id']}/cancel", reason="Chuva")
    await classes.judge()
    assert await progress(classes, registration) == 0


async def test_minutes_of_two_classes_do_not_add_up(world: World) -> None:
    classes = await offer(world)
    one, other = await classes.create(classes.session(-30)), await classes.create(classes.session(-6))
    registration = await classes.register(one)
    await classes.register(other, registration["user_id"])
    for made in (one, other):
        await classes.attend(made["sessions"][0]["id"], {registration["user_id"]: 120})
    await classes.judge()
    assert await progress(classes, registration) == 50
    await classes.attend(other["sessions"][0]["id"], {registration["user_id"]: 240}, reason="Ficou")
    await classes.judge()
    assert (await classes.enrollment(registration))["status"] == "COMPLETED"


async def test_a_completed_course_stays_completed(world: World) -> None:
    classes = await offer(world)
    made = await classes.create(classes.session(-6))
    registration = await classes.register(made)
    session = made["sessions"][0]["id"]
    await classes.attend(session, {registration["user_id"]: 240})
    await classes.judge()
    await classes.attend(session, {registration["user_id"]: 0}, reason="Era outra pessoa")
    await classes.judge()
    assert (await classes.enrollment(registration))["status"] == "COMPLETED"
    assert await verify(world, registration["enrollment_id"]) == ""


async def test_a_session_with_attendance_does_not_move_to_the_future(world: World) -> None:
    classes = await offer(world)
    made = await classes.create(classes.session(-6))
    session = made["sessions"][0]["id"]
    registration = await classes.register(made)
    await classes.attend(session, {registration["user_id"]: 240})
    answer = await world.http.patch(f"/v1/sessions/{session}", json=classes.session(6))
    assert refusal(answer) == (409, "attendance_recorded")
    answer = await world.http.patch(f"/v1/sessions/{session}", json=classes.session(-5, 2))
    assert answer.status_code == 200
    await classes.judge()
    # 240 minutes of a session that was shortened to 120 are 120. The same list again changes nothing.
    await classes.attend(session, {registration["user_id"]: 240})
    assert (await classes.enrollment(registration))["status"] == "COMPLETED"


async def test_a_changed_rule_of_presence_is_judged_anew(world: World) -> None:
    classes = await offer(world)
    made = await classes.create(classes.session(-6))
    registration = await classes.register(made)
    await classes.attend(made["sessions"][0]["id"], {registration["user_id"]: 180})
    await classes.judge()
    assert (await classes.enrollment(registration))["status"] == "IN_PROGRESS"
    path = f"/v1/courses/{classes.course_id}/modules/{classes.class_module}"
    assert (await world.http.patch(path, json={"presence_percent": 75})).status_code == 200
    from trilha.training.learning.completion.jobs import REASSESS_CHANGED_COURSES

    await REASSESS_CHANGED_COURSES.run_in(world.database, world.tenant.id)
    assert (await classes.enrollment(registration))["status"] == "COMPLETED"


@pytest.mark.parametrize("people", [30])
async def test_long_lists_are_recorded_at_once(world: World, people: int) -> None:
    classes = await offer(world)
    made = await classes.create(classes.session(-6), maximum_people=people)
    users = [(await world.user())["id"] for _ in range(people)]
    answer = await classes.post(f"classes/{made['id']}/registrations/bulk", user_ids=users)
    assert answer.json()["data"]["registered"] == people
    await classes.attend(made["sessions"][0]["id"], dict.fromkeys(users, 240))
    await classes.judge()
    done = (await world.http.get("/v1/enrollments?status=completed&limit=100")).json()["data"]
    assert len(done) == people
    assert len(await world.events("attendance.recorded")) == people


async def test_a_class_module_cannot_be_opened(world: World) -> None:
    classes = await offer(world)
    registration = await classes.register(await classes.create())
    path = f"enrollments/{registration['enrollment_id']}/launch"
    answer = await classes.post(path, module_id=str(classes.class_module))
    assert refusal(answer) == (409, "module_without_content")
    assert refusal(await classes.post(path)) == (404, "module_not_found")


async def test_attendance_counts_for_who_was_enrolled_anew(world: World) -> None:
    """The first enrollment expired after its place was given, and before the class met."""
    classes = await offer(world)
    user = (await world.user())["id"]
    pair = {"user_id": user, "course_id": str(classes.course_id)}
    expires = Timestamp.of(world.clock() + timedelta(hours=2))
    first = await world.enrollment(**pair, expires_at=expires)
    made = await classes.create(classes.session(30, 4))
    registration = await classes.register(made, user)
    assert registration["enrollment_id"] == first["id"]
    world.clock.move(hours=3)
    second = await world.enrollment(**pair)
    world.clock.move(hours=32)
    await classes.attend(made["sessions"][0]["id"], {user: 240})
    await classes.judge()
    assert (await classes.enrollment({"enrollment_id": second["id"]}))["status"] == "COMPLETED"
    (listed,) = await classes.list_registrations(made)
    assert listed["enrollment_id"] == second["id"]
    assert await verify(world, second["id"]) == ""


async def test_a_correction_of_an_old_list_stays_with_the_old_enrollment(world: World) -> None:
    classes = await offer(world, percent=100)
    user = (await world.user())["id"]
    pair = {"user_id": user, "course_id": str(classes.course_id)}
    first = await world.enrollment(**pair, expires_at=Timestamp.of(world.clock() + timedelta(hours=2)))
    made = await classes.create(classes.session(-6, 4))
    await classes.register(made, user)
    session = made["sessions"][0]["id"]
    await classes.attend(session, {user: 100})
    world.clock.move(hours=3)
    second = await world.enrollment(**pair)
    await classes.attend(session, {user: 240}, reason="Contagem errada")
    await classes.judge()
    (listed,) = await classes.list_registrations(made)
    assert listed["enrollment_id"] == first["id"]
    assert (await classes.enrollment({"enrollment_id": second["id"]}))["status"] == "NOT_STARTED"
