"""POST /v1/enrollments/bulk"""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from conftest import CNH, CPF, World
from trilha.training.enrollments import actions

NOBODY = "1b4e28ba-2fa1-41d2-883f-0016d3cca427"


def item(user: object, course: object, **members: Any) -> dict[str, Any]:
    return {"user_id": str(user), "course_id": str(course)} | members


async def bulk(world: World, *items: dict[str, Any]) -> dict[str, Any]:
    answer = await world.http.post("/v1/enrollments/bulk", json={"enrollments": items})
    assert answer.status_code == 201, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data


async def rows(world: World) -> int:
    async with world.tx() as tx:
        count: int = await tx.value("SELECT count(*) FROM enrollments WHERE tenant_id = :tenant")
    return count


async def test_creates_every_pair(world: World) -> None:
    people = [(await world.user())["id"] for _ in range(3)]
    courses = [await world.course() for _ in range(2)]
    pairs = [item(user, course, expires_at="2099-01-31T00:00:00Z") for user in people for course in courses]
    assert await bulk(world, *pairs) == {"created": 6, "skipped": 0, "failed": 0, "errors": []}
    listed = (await world.http.get("/v1/enrollments")).json()["data"]
    assert {(each["user_id"], each["course_id"]) for each in listed} == {
        (each["user_id"], each["course_id"]) for each in pairs
    }
    assert {each["expires_at"] for each in listed} == {"2099-01-31T00:00:00.000Z"}
    events = await world.events("enrollment.created")
    assert {data["enrollment_id"] for _, data in events} == {each["id"] for each in listed}


async def test_each_failed_item_says_why_and_stops_no_other(world: World) -> None:
    user, suspended = (await world.user())["id"], (await world.user())["id"]
    await world.http.post(f"/v1/users/{suspended}/suspend")
    course, draft = await world.course(), await world.course(publish=False)
    regulated = await world.course(regulation={"kind": "traffic"})
    past = world.clock.now.isoformat()
    answer = await bulk(
        world,
        item(NOBODY, NOBODY, expires_at=past),
        item(user, NOBODY, expires_at=past),
        item(suspended, draft, expires_at=past),
        item(user, draft, expires_at=past),
        item(user, regulated, expires_at=past),
        item(user, course, expires_at=past),
        item(user, course),
    )
    assert (answer["created"], answer["skipped"], answer["failed"]) == (1, 0, 6)
    assert [(each["index"], each["code"]) for each in answer["errors"]] == [
        (0, "user_not_found"),
        (1, "course_not_found"),
        (2, "user_not_active"),
        (3, "course_not_published"),
        (4, "regulatory_profile_missing"),
        (5, "not_in_future"),
    ]
    assert answer["errors"][4]["detail"] == {"missing_fields": ["cpf", "cnh"]}
    assert set(answer["errors"][3]) == {"index", "user_id", "course_id", "code", "message"}
    assert (answer["errors"][3]["user_id"], answer["errors"][3]["course_id"]) == (user, str(draft))
    assert await rows(world) == 1


async def test_skips_duplicates_of_current_places_and_of_earlier_items(world: World) -> None:
    first = await world.enrollment()
    user = (await world.user())["id"]
    pair = item(user, first["course_id"], expires_at="2099-01-31T00:00:00Z")
    answer = await bulk(
        world,
        item(first["user_id"], first["course_id"]),
        pair,
        pair | {"expires_at": "2098-01-31T00:00:00Z"},
        pair | {"user_id": user.upper()},
    )
    assert answer == {"created": 1, "skipped": 3, "failed": 0, "errors": []}
    (made,) = (await world.http.get(f"/v1/users/{user}/enrollments")).json()["data"]
    assert made["expires_at"] == "2099-01-31T00:00:00.000Z"  # the first item's enrollment
    assert len(await world.events("enrollment.created")) == 2


async def test_again_creates_nothing(world: World) -> None:
    pairs = [item((await world.user())["id"], await world.course()) for _ in range(3)]
    await bulk(world, *pairs)
    assert await bulk(world, *pairs) == {"created": 0, "skipped": 3, "failed": 0, "errors": []}
    assert await rows(world) == 3


async def test_completed_is_in_the_way_and_run_out_is_not(world: World) -> None:
    end = world.clock.now + timedelta(days=1)
    done = await world.enrollment()
    waiting = await world.enrollment(expires_at=end.isoformat())
    stored = await world.enrollment(expires_at=(end - timedelta(hours=1)).isoformat())
    async with world.tx() as tx:
        await actions.start(tx, UUID(done["id"]))
        await actions.complete(tx, UUID(done["id"]))
    world.clock.move(hours=23)
    async with world.tx() as tx:
        assert await actions.expire_due(tx) == 1
    world.clock.move(hours=1)
    places = (done, waiting, stored)
    answer = await bulk(world, *(item(each["user_id"], each["course_id"]) for each in places))
    assert answer == {"created": 2, "skipped": 1, "failed": 0, "errors": []}
    assert {data["enrollment_id"] for _, data in await world.events("enrollment.expired")} == {
        waiting["id"],
        stored["id"],
    }
    assert len(await world.events("enrollment.expired")) == 2


async def test_an_item_that_failed_is_no_earlier_item(world: World) -> None:
    user, course = (await world.user())["id"], await world.course()
    answer = await bulk(world, item(user, course, expires_at=world.clock.now.isoformat()), item(user, course))
    assert (answer["created"], answer["skipped"], answer["failed"]) == (1, 0, 1)


async def test_takes_a_regulated_course_with_whole_profiles(world: World) -> None:
    licence = {"numero": CNH, "categoria": "B", "validade": "2099-01-31", "ear": False}
    course = await world.course(regulation={"kind": "traffic"})
    whole, partial = await world.user(cpf=CPF, cnh=licence), await world.user(cpf="111.444.777-35")
    answer = await bulk(world, item(whole["id"], course), item(partial["id"], course))
    assert (answer["created"], answer["failed"]) == (1, 1)
    assert answer["errors"][0]["index"] == 1


async def test_takes_a_thousand_and_no_more(world: World) -> None:
    user = (await world.user())["id"]
    async with world.tx() as tx:
        made = await tx.rows(
            """
            INSERT INTO courses (tenant_id, title, slug, status, created_at, updated_at)
            SELECT :tenant, 'C', 'c-' || n, 'PUBLISHED', :now, :now FROM generate_series(1, 1001) AS n
            RETURNING id
            """
        )
    pairs = [item(user, row["id"]) for row in made]
    answer = await world.http.post("/v1/enrollments/bulk", json={"enrollments": pairs})
    error = answer.json()["error"]
    assert (answer.status_code, error["field"], error["code"]) == (400, "enrollments", "too_long")
    assert await rows(world) == 0
    assert (await bulk(world, *pairs[:1000]))["created"] == 1000
    assert await rows(world) == len(await world.events("enrollment.created")) == 1000


async def test_an_empty_batch_is_a_batch(world: World) -> None:
    assert await bulk(world) == {"created": 0, "skipped": 0, "failed": 0, "errors": []}


@pytest.mark.parametrize(
    ("broken", "field", "code"),
    [
        (item("7", NOBODY), "enrollments.1.user_id", "invalid_uuid"),
        ({"user_id": NOBODY}, "enrollments.1.course_id", "required"),
        (item(NOBODY, NOBODY, status="x"), "enrollments.1.status", "unknown_field"),
        (item(NOBODY, NOBODY, expires_at="soon"), "enrollments.1.expires_at", "invalid_date_time"),
        ("x", "enrollments.1", "invalid_type"),
    ],
)
async def test_a_body_that_breaks_the_schema_creates_nothing(
    world: World, broken: Any, field: str, code: str
) -> None:
    good = item((await world.user())["id"], await world.course())
    answer = await world.http.post("/v1/enrollments/bulk", json={"enrollments": [good, broken, good]})
    error = answer.json()["error"]
    assert (answer.status_code, error["field"], error["code"]) == (400, field, code)
    assert await rows(world) == 0


@pytest.mark.parametrize(
    "body", [{}, {"enrollments": None}, {"enrollments": {}}, {"enrollments": [], "x": 1}, []]
)
async def test_a_body_of_another_shape_is_refused(world: World, body: Any) -> None:
    answer = await world.http.post("/v1/enrollments/bulk", json=body)
    assert (answer.status_code, answer.json()["error"]["type"]) == (400, "validation_error")
