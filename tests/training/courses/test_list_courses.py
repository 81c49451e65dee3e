"""GET /v1/courses"""

import pytest

from conftest import World
from trilha.training.courses import actions


async def test_lists_courses_newest_first_drafts_included(world: World) -> None:
    draft = await world.course(publish=False)
    world.clock.move(seconds=1)
    published = await world.course()
    answer = (await world.http.get("/v1/courses")).json()
    assert [(course["id"], course["status"]) for course in answer["data"]] == [
        (str(published), "PUBLISHED"),
        (str(draft), "DRAFT"),
    ]
    assert (answer["next_cursor"], answer["has_more"], answer["limit"]) == (None, False, 20)


async def test_filters_by_status_and_by_any_of_the_tags(world: World) -> None:
    safety = str(await world.course(tags=["nr-35", "altura"]))
    traffic = str(await world.course(tags=["trânsito"]))
    plain = str(await world.course(publish=False))
    for query, expected in (
        ("status=DRAFT", {plain}),
        ("status=PUBLISHED", {safety, traffic}),
        ("status=ARCHIVED", set()),
        ("tags=altura", {safety}),
        ("tags=altura,trânsito", {safety, traffic}),
        ("tags=%20nr-35%20,x", {safety}),
        ("tags=alt", set()),
        ("tags=altura&status=DRAFT", set()),
    ):
        found = (await world.http.get(f"/v1/courses?{query}")).json()["data"]
        assert {course["id"] for course in found} == expected, query


async def test_follows_change(world: World) -> None:
    first = await world.course(publish=False)
    await world.course()
    world.clock.move(seconds=5)
    since = world.clock.now.strftime("%Y-%m-%dT%H:%M:%SZ")
    assert (await world.http.get(f"/v1/courses?updated_since={since}")).json()["data"] == []
    async with world.tx() as tx:
        await actions.publish(tx, first)
    (changed,) = (await world.http.get(f"/v1/courses?updated_since={since}")).json()["data"]
    assert changed["id"] == str(first)


@pytest.mark.parametrize(
    ("query", "field", "code"),
    [
        ("status=drafts", "status", "invalid_value"),
        ("tags=", "tags", "too_short"),
        ("tags=,", "tags", "too_short"),
        ("tag=altura", "tag", "unknown_parameter"),
    ],
)
async def test_refuses_a_filter_it_cannot_read(world: World, query: str, field: str, code: str) -> None:
    answer = await world.http.get(f"/v1/courses?{query}")
    error = answer.json()["error"]
    assert (answer.status_code, error["field"], error["code"]) == (400, field, code)
