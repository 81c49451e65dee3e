"""POST /v1/enrollments/import"""

import asyncio
from typing import Any
from uuid import UUID, uuid4

from conftest import World
from posting import run_job
from training.enrollments.test_counters import both
from training.learning_paths import following
from trilha.core.credentials import Scope
from trilha.training.learning.completion import jobs as completion_jobs


async def item(world: World, **members: Any) -> dict[str, Any]:
    user = members.pop("user_id", None) or (await world.user())["id"]
    course = members.pop("course_id", None) or str(await world.course())
    told = {"completed_at": "2024-03-09T17:30:00Z", "source": "Antigo LMS"}
    return {"user_id": user, "course_id": course, **told, **members}


async def bring(world: World, *items: dict[str, Any], **more: Any) -> dict[str, Any]:
    answer = await world.http.post("/v1/enrollments/import", json={"completions": list(items)} | more)
    assert answer.status_code == 201, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data


def counts(result: dict[str, Any]) -> tuple[int, ...]:
    return tuple(result[name] for name in ("created", "skipped", "failed"))


async def listed(world: World, query: str = "") -> list[dict[str, Any]]:
    data: list[dict[str, Any]] = (await world.http.get(f"/v1/enrollments?{query}")).json()["data"]
    return data


async def test_takes_over_what_was_completed_elsewhere(world: World) -> None:
    past = await item(world, started_at="2024-03-01T09:00:00Z", score=87.5)
    assert await bring(world, past) == {"created": 1, "skipped": 0, "failed": 0, "errors": []}
    (made,) = await listed(world)
    assert made | {"id": "", "created_at": "", "updated_at": ""} == {
        "id": "",
        "user_id": past["user_id"],
        "course_id": past["course_id"],
        "status": "COMPLETED",
        "progress": 100,
        "score": 87.5,
        "started_at": "2024-03-01T09:00:00.000Z",
        "completed_at": "2024-03-09T17:30:00.000Z",
        "expires_at": None,
        "imported_from": "Antigo LMS",
        "created_at": "",
        "updated_at": "",
    }
    assert [type for type, _ in await world.events() if type.startswith(("enrollment", "certificate"))] == []
    pair = {name: past[name] for name in ("user_id", "course_id")}
    assert (await world.http.post("/v1/enrollments", json=pair)).json()["error"]["code"] == "already_enrolled"
    assert (await world.http.get("/v1/certificates")).json()["data"] == []


async def test_told_twice_it_is_there_once(world: World) -> None:
    past = await item(world)
    older = past | {"completed_at": "2020-01-01T00:00:00Z"}
    assert counts(await bring(world, past, past, older)) == (2, 1, 0)
    assert counts(await bring(world, past, older | {"source": "Outro"})) == (0, 2, 0)
    assert len(await listed(world)) == 2
    new = await item(world)
    results = await asyncio.gather(*(bring(world, new, past) for _ in range(3)))
    assert sorted(counts(each) for each in results) == [(0, 2, 0), (0, 2, 0), (1, 1, 0)]


async def test_the_numbers_of_courses_are_right(world: World) -> None:
    course = str(await world.course())
    items = [await item(world, course_id=course, score=score) for score in (80, 90, None)]
    items.append(items[0] | {"completed_at": "2023-12-31T23:59:59-03:00"})
    await bring(world, *items)
    await both(world)
    stats = (await world.http.get(f"/v1/courses/{course}/stats")).json()["data"]
    assert (stats["enrollments"], stats["completions"], stats["completion_rate"]) == (4, 4, 100)
    async with world.tx() as tx:
        months = await tx.rows(
            """
            SELECT month::text, sum(completed)::int AS completed FROM course_completions
            WHERE tenant_id = :tenant GROUP BY 1 ORDER BY 1
            """
        )
    assert [tuple(row) for row in months] == [("2023-12-01", 1), ("2024-03-01", 3)]


async def test_who_is_enrolled_goes_on(world: World) -> None:
    enrollment = await world.enrollment()
    past = await item(world, user_id=enrollment["user_id"], course_id=enrollment["course_id"])
    assert counts(await bring(world, past)) == (1, 0, 0)
    assert {each["status"] for each in await listed(world)} == {"NOT_STARTED", "COMPLETED"}
    existing = await world.http.post(
        "/v1/enrollments", json={name: past[name] for name in ("user_id", "course_id")}
    )
    assert existing.json()["error"]["detail"]["existing_enrollment"]["id"] == enrollment["id"]


async def test_what_would_have_lapsed_does_not_stand_in_the_way(world: World) -> None:
    course = str(await world.course(certificate_validity_months=12))
    past = await item(world, course_id=course, completed_at="2020-02-29T12:00:00Z")
    await bring(world, past)
    pair = {name: past[name] for name in ("user_id", "course_id")}
    assert (await world.http.post("/v1/enrollments", json=pair)).status_code == 201


async def test_certificates_are_issued_where_asked(world: World) -> None:
    one, other = await item(world), await item(world)
    await bring(world, one)
    await bring(world, one, other, issue_certificates=True)
    await run_job(completion_jobs.ISSUE_MISSING_CERTIFICATES, world)
    issued = (await world.http.get("/v1/certificates")).json()["data"]
    assert [each["user_id"] for each in issued] == [other["user_id"]]
    assert len(await world.events("certificate.issued")) == 1


async def test_who_is_on_a_path_goes_on(world: World) -> None:
    """The path continues with the next course to its end. No event reports what was completed elsewhere."""
    courses = [await world.course() for _ in range(2)]
    ana, bia = [(await world.user())["id"] for _ in range(2)]
    path_id = await following.path(world, *courses, in_order=True)
    await following.assign(world, path_id, UUID(ana))
    first, second = (str(each) for each in courses)
    await bring(
        world,
        await item(world, user_id=ana, course_id=first),
        await item(world, user_id=bia, course_id=first),  # is not on any path
    )
    await following.work(world)
    # Her course, the imported completions, and the next course.
    assert sorted(await following.taken(world, UUID(ana))) == sorted([courses[0], *courses])
    assert await following.taken(world, UUID(bia)) == [courses[0]]
    assert await world.events("learning_path.completed") == []
    await bring(world, await item(world, user_id=ana, course_id=second))
    await following.work(world)
    ((_, completed),) = await world.events("learning_path.completed")
    assert (completed["learning_path_id"], completed["user_id"]) == (str(path_id), ana)
    enrolled = [data["course_id"] for _, data in await world.events("enrollment.created")]
    assert enrolled == [first, second]
    assert await world.events("enrollment.completed") == []


async def test_a_wrong_item_fails_alone(world: World) -> None:
    good = await item(world)
    result = await bring(
        world,
        await item(world, user_id=str(uuid4())),
        await item(world, course_id=str(uuid4())),
        await item(world, course_id=str(await world.course(publish=False))),
        await item(world, completed_at="2999-01-01T00:00:00Z"),
        await item(world, started_at="2024-03-10T00:00:00Z"),
        await item(world, completed_at="0999-06-15T12:00:00Z"),
        await item(world, started_at="0001-01-01T00:00:00Z"),
        good,
    )
    assert counts(result) == (1, 0, 7)
    assert [(each["index"], each["code"]) for each in result["errors"]] == list(
        enumerate(
            (
                *("user_not_found", "course_not_found", "course_not_published", "in_future"),
                *("after_completion", "too_long_ago", "too_long_ago"),
            )
        )
    )


async def test_a_body_of_another_form_takes_nothing_over(world: World) -> None:
    good = await item(world)
    for wrong, code in (
        (good | {"score": 101}, "out_of_range"),
        (good | {"source": " "}, "too_short"),
        (good | {"completed_at": None}, "invalid_date_time"),
        ({name: good[name] for name in good if name != "source"}, "required"),
    ):
        answer = await world.http.post("/v1/enrollments/import", json={"completions": [good, wrong]})
        assert answer.status_code == 400, code
    answer = await world.http.post("/v1/enrollments/import", json={"completions": [good] * 1001})
    assert answer.json()["error"]["code"] == "too_long"
    assert await listed(world) == []


async def test_needs_the_scope(world: World) -> None:
    client = world.client(await world.key(Scope.ENROLLMENTS_WRITE))
    answer = await client.post("/v1/enrollments/import", json={"completions": []})
    assert answer.json()["error"]["detail"] == {"required_scope": "enrollments:bulk"}
