"""POST /v1/enrollments"""

import asyncio
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from conftest import CNH, CPF, World
from trilha.people.users import queries as users
from trilha.training.courses import queries as courses
from trilha.training.enrollments import actions

NOBODY = "1b4e28ba-2fa1-41d2-883f-0016d3cca427"
LICENCE = {"numero": CNH, "categoria": "AB", "validade": "2099-01-31", "ear": True}


async def enroll(world: World, user_id: object, course_id: object, **members: Any) -> tuple[int, Any]:
    body = {"user_id": str(user_id), "course_id": str(course_id)} | members
    answer = await world.http.post("/v1/enrollments", json=body)
    return answer.status_code, answer.json().get("error", answer.json().get("data"))


async def test_answers_the_enrollment(world: World) -> None:
    user, course = await world.user(), await world.course()
    status, enrollment = await enroll(world, user["id"], course, expires_at="2099-01-31T12:00:00-03:00")
    moment = world.clock.now.strftime("%Y-%m-%dT%H:%M:%S.000Z")
    assert status == 201
    assert enrollment == {
        "id": enrollment["id"],
        "user_id": user["id"],
        "course_id": str(course),
        "status": "NOT_STARTED",
        "progress": 0,
        "score": None,
        "started_at": None,
        "completed_at": None,
        "expires_at": "2099-01-31T15:00:00.000Z",
        "created_at": moment,
        "updated_at": moment,
    }
    assert UUID(enrollment["id"]).version == 4
    assert await world.events("enrollment.created") == [
        (
            "enrollment.created",
            {
                "enrollment_id": enrollment["id"],
                "user_id": user["id"],
                "course_id": str(course),
                "expires_at": "2099-01-31T15:00:00.000Z",
            },
        )
    ]


async def test_refuses_a_second_place_and_shows_the_first(world: World) -> None:
    first = await world.enrollment()
    status, error = await enroll(world, first["user_id"], first["course_id"])
    assert (status, error["type"], error["code"]) == (409, "conflict", "already_enrolled")
    assert error["detail"] == {"existing_enrollment": first}
    assert len(await world.events("enrollment.created")) == 1


@pytest.mark.parametrize("state", ["NOT_STARTED", "IN_PROGRESS", "COMPLETED"])
async def test_every_current_state_is_in_the_way(world: World, state: str) -> None:
    first = await world.enrollment()
    async with world.tx() as tx:
        if state != "NOT_STARTED":
            await actions.start(tx, UUID(first["id"]))
        if state == "COMPLETED":
            await actions.complete(tx, UUID(first["id"]))
    status, error = await enroll(world, first["user_id"], first["course_id"])
    assert (status, error["code"]) == (409, "already_enrolled")
    assert error["detail"]["existing_enrollment"]["status"] == state


async def test_a_place_that_ran_out_is_not_in_the_way(world: World) -> None:
    """Both before and after the worker has stored the expiration."""
    end = world.clock.now + timedelta(days=1)
    first = await world.enrollment(expires_at=end.isoformat())
    world.clock.now = end
    status, second = await enroll(
        world, first["user_id"], first["course_id"], expires_at=(end + timedelta(days=1)).isoformat()
    )
    assert (status, second["status"]) == (201, "NOT_STARTED")
    shown = (await world.http.get(f"/v1/enrollments/{first['id']}")).json()["data"]
    assert shown["status"] == "EXPIRED"
    assert [data["enrollment_id"] for _, data in await world.events("enrollment.expired")] == [first["id"]]
    world.clock.now = end + timedelta(days=1)
    async with world.tx() as tx:
        assert await actions.expire_due(tx) == 1
    assert (await enroll(world, first["user_id"], first["course_id"]))[0] == 201
    assert len(await world.events("enrollment.expired")) == 2


async def test_checks_in_the_promised_order(world: World) -> None:
    """Each step corrects one fault, and then the next rule refuses."""
    past = world.clock.now.isoformat()
    user = await world.user()
    course = await world.course(regulation={"kind": "traffic"}, publish=False)
    async with world.tx() as tx:
        await users.change_status(tx, UUID(user["id"]), "ACTIVE", "INACTIVE")

    assert (await enroll(world, NOBODY, NOBODY, expires_at=past))[1]["code"] == "user_not_found"
    status, error = await enroll(world, user["id"], NOBODY, expires_at=past)
    assert (status, error["type"], error["code"]) == (404, "not_found", "course_not_found")

    status, error = await enroll(world, user["id"], course, expires_at=past)
    assert (status, error["type"], error["code"]) == (422, "business_rule", "user_not_active")
    async with world.tx() as tx:
        await users.change_status(tx, UUID(user["id"]), "INACTIVE", "SUSPENDED")
    assert (await enroll(world, user["id"], course, expires_at=past))[1]["code"] == "user_not_active"
    await world.http.post(f"/v1/users/{user['id']}/reactivate")

    status, error = await enroll(world, user["id"], course, expires_at=past)
    assert (status, error["code"]) == (422, "course_not_published")
    async with world.tx() as tx:
        await courses.publish(tx, course)

    status, error = await enroll(world, user["id"], course, expires_at=past)
    assert (status, error["code"]) == (422, "regulatory_profile_missing")
    assert error["detail"] == {"missing_fields": ["cpf", "cnh"]}
    await world.http.patch(f"/v1/users/{user['id']}", json={"cpf": CPF, "cnh": LICENCE})

    status, error = await enroll(world, user["id"], course, expires_at=past)
    assert (status, error["field"], error["code"]) == (400, "expires_at", "not_in_future")
    assert (await enroll(world, user["id"], course))[0] == 201
    assert (await enroll(world, user["id"], course))[1]["code"] == "already_enrolled"


@pytest.mark.parametrize(
    ("required", "members", "missing"),
    [
        (["phone", "birth_date"], {"cpf": CPF, "cnh": LICENCE}, ["phone", "birth_date"]),
        (["cpf", "cnh"], {"cnh": LICENCE}, ["cpf"]),
        (["cpf", "cnh"], {"cpf": CPF}, ["cnh"]),
        (["cpf", "cnh"], {"cpf": CPF, "cnh": LICENCE}, []),
        ([], {}, []),
    ],
)
async def test_names_what_the_profile_lacks(
    world: World, required: list[str], members: dict[str, Any], missing: list[str]
) -> None:
    course = await world.course(regulation={"kind": "finance", "required_profile_fields": required})
    status, answer = await enroll(world, (await world.user(**members))["id"], course)
    assert (status, answer.get("detail")) == ((422, {"missing_fields": missing}) if missing else (201, None))


async def test_a_licence_that_ran_out_is_lacking(world: World) -> None:
    course = await world.course(regulation={"kind": "traffic"})
    last = (world.clock.now + timedelta(days=2)).date().isoformat()
    user = await world.user(cpf=CPF, cnh=LICENCE | {"validade": last})
    world.clock.move(days=4)
    status, error = await enroll(world, user["id"], course)
    assert (status, error["detail"]) == (422, {"missing_fields": ["cnh"]})


async def test_archiving_closes_the_course_but_keeps_its_places(world: World) -> None:
    first = await world.enrollment()
    async with world.tx() as tx:
        await tx.execute(
            "UPDATE courses SET status = 'ARCHIVED' WHERE tenant_id = :tenant AND id = :id",
            id=UUID(first["course_id"]),
        )
    status, error = await enroll(world, (await world.user())["id"], first["course_id"])
    assert (status, error["code"]) == (422, "course_not_published")
    assert (await world.http.get(f"/v1/enrollments/{first['id']}")).json() == {"data": first}


@pytest.mark.parametrize(
    ("members", "field", "code"),
    [
        ({"user_id": "7"}, "user_id", "invalid_uuid"),
        ({"user_id": None}, "user_id", "invalid_type"),
        ({"course_id": 7}, "course_id", "invalid_type"),
        ({"expires_at": "2099-01-31"}, "expires_at", "invalid_date_time"),
        ({"expires_at": "2099-01-31T12:00:00"}, "expires_at", "invalid_date_time"),
        ({"expires_at": "2099-02-30T12:00:00Z"}, "expires_at", "invalid_date_time"),
        ({"expires_at": "9999-12-31T23:59:59-14:00"}, "expires_at", "invalid_date_time"),
        ({"expires_at": 4102444800}, "expires_at", "invalid_type"),
        ({"status": "COMPLETED"}, "status", "unknown_field"),
    ],
)
async def test_names_what_is_wrong(world: World, members: dict[str, Any], field: str, code: str) -> None:
    body = {"user_id": NOBODY, "course_id": NOBODY} | members
    answer = await world.http.post("/v1/enrollments", json=body)
    error = answer.json()["error"]
    assert (answer.status_code, error["field"], error["code"]) == (400, field, code)


async def test_the_end_is_in_the_future_to_the_millisecond(world: World) -> None:
    user, course = (await world.user())["id"], await world.course()
    for later, expected in ((0, 400), (999, 400), (1000, 201)):
        end = world.clock.now + timedelta(microseconds=later)
        assert (await enroll(world, user, course, expires_at=end.isoformat()))[0] == expected


async def test_what_waited_for_another_change_comes_after_it_in_the_feed(world: World) -> None:
    """The statement began before that change was committed, and saw none of its events."""
    user, course = await world.user(), await world.course()
    _, enrollment = await enroll(world, user["id"], course)
    async with world.tx() as tx:
        await actions.cancel(tx, UUID(enrollment["id"]))
        again = asyncio.create_task(enroll(world, user["id"], course))
        waiting = """
            SELECT count(*) FROM pg_locks
            WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid)) AND :tenant::uuid IS NOT NULL
        """
        async with asyncio.timeout(10):
            while not await tx.value(waiting):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
    status, _ = await again
    assert status == 201
    async with world.tx() as tx:
        rows = await tx.rows("SELECT type, sequence FROM events WHERE tenant_id = :tenant ORDER BY sequence")
    types = [row["type"] for row in rows[-3:]]
    assert types == ["enrollment.created", "enrollment.cancelled", "enrollment.created"]
    assert rows[-2]["sequence"] < rows[-1]["sequence"]
