"""What is exported and erased of a person in classes."""

from uuid import UUID

import msgspec

from conftest import World
from people.personal_data.test_export import SCHEMA, exported
from training.classes.classes import offer
from trilha.app import PERSONAL_DATA
from trilha.training.learning.evidence import verification


async def test_a_persons_classes_are_exported(world: World) -> None:
    classes = await offer(world)
    user, other = await world.user(), await world.user()
    made = await classes.create(
        classes.session(-30, instructor_ids=[other["id"]]), classes.session(-6, instructor_ids=[user["id"]])
    )
    left = await classes.register(made, user["id"])
    await classes.unregister(left, reason="Férias")
    await classes.register(made, user["id"])
    await classes.register(made, other["id"])
    first = made["sessions"][0]
    await classes.attend(first["id"], {user["id"]: 100, other["id"]: 200})
    await classes.attend(first["id"], {user["id"]: 90}, reason="Saiu antes")
    async with world.tx() as tx:
        await tx.execute(
            """
            INSERT INTO attendance_scans (tenant_id, id, session_id, name, media_type, bytes, digest,
                                          uploaded_by, created_at)
            VALUES (:tenant, gen_random_uuid(), :session_id, 'lista.pdf', 'application/pdf', 1,
                    repeat('a', 64), :user_id, :now)
            """,
            session_id=UUID(first["id"]),
            user_id=UUID(other["id"]),
        )
    value = msgspec.json.decode(await exported(world, user["id"]))
    assert list(SCHEMA.iter_errors(value)) == []
    assert sorted((each["status"], each["cancel_reason"]) for each in value["class_registrations"]) == [
        ("CANCELLED", "Férias"),
        ("REGISTERED", None),
    ]
    assert {each["class_title"] for each in value["class_registrations"]} == {"Turma 1"}
    (attendance,) = value["class_attendance"]
    assert (attendance["minutes"], attendance["method"]) == (90, "LIST")
    assert attendance["reasons"] == ["Saiu antes"]
    (scan,) = value["attendance_scans"]
    assert (scan["class_title"], scan["digest"], scan["deleted_at"]) == ("Turma 1", "a" * 64, None)
    (taught,) = value["taught_sessions"]
    assert taught["starts_at"] == made["sessions"][1]["starts_at"]


async def test_an_erased_person_frees_places_and_leaves_evidence(world: World) -> None:
    classes = await offer(world)
    past = await classes.create(classes.session(-30), maximum_people=1)
    future = await classes.create(classes.session(30), maximum_people=1)
    user, other = (await world.user())["id"], (await world.user())["id"]
    registration = await classes.register(past, user)
    place = await classes.register(future, user)
    waiting = [await classes.register(each, other) for each in (past, future)]
    assert [each["status"] for each in waiting] == ["WAITLISTED", "WAITLISTED"]
    session = past["sessions"][0]["id"]
    await classes.attend(session, {user: 100})
    await classes.attend(session, {user: 90}, reason="Ana saiu antes")
    async with world.tx() as tx:
        await PERSONAL_DATA.erase(tx, UUID(user))
    assert [each["user_id"] for each in await classes.list_registrations(past, status="REGISTERED")] == [user]
    assert [each["user_id"] for each in await classes.list_registrations(future, status="REGISTERED")] == [
        other
    ]
    (cancelled,) = await classes.list_registrations(future, status="CANCELLED")
    assert cancelled["id"] == place["id"]
    assert [each["minutes"] for each in await classes.list_attendance(session)] == [90]
    async with world.tx() as tx:
        reasons = await tx.rows("SELECT reason FROM attendance_corrections WHERE tenant_id = :tenant")
        checked = await verification.verify(tx, UUID(registration["enrollment_id"]))
        assert [row["reason"] for row in reasons] == [None]
        assert checked.problem == ""
        await PERSONAL_DATA.erase(tx, UUID(user))
    assert len(await world.events("registration.cancelled")) == 1
