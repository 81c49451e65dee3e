"""Requirements through the API: who must hold what, enrollment, renewal, release."""

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from conftest import World
from training.learning_paths.following import path
from training.requirements.settling import (
    EVERYBODY,
    by_title,
    complete,
    enrolled,
    happened,
    require,
    settle,
    standing,
)
from trilha.core.types import Name
from trilha.people.business_units import actions as units
from trilha.people.business_units.schema import NewBusinessUnit
from trilha.people.learning_groups import actions as groups
from trilha.people.learning_groups.schema import NewLearningGroup
from trilha.training.learning_paths import actions as paths
from trilha.training.requirements import actions


async def test_everybody_is_enrolled_with_a_due_date(world: World) -> None:
    ana = await world.user()
    requirement = await require(world)
    (state,) = await standing(world, ana["id"])
    (enrollment,) = await enrolled(world, ana["id"])
    assert enrollment["expires_at"] is None
    assert state == {
        "requirement_id": requirement["id"],
        "state": "DUE_SOON",
        "due_at": state["due_at"],
        "valid_until": None,
        "enrollment_id": enrollment["id"],
        "because": "Exigido por “NR-35”: vale para todas as pessoas.",
    }
    assert await happened(world) == [("requirement.assigned", ana["id"])]


async def test_who_comes_later_is_required_too(world: World) -> None:
    await require(world, rule=by_title("Eletricista"))
    ana, rui = await world.user(job_title="Eletricista"), await world.user(job_title="Pedreiro")
    await settle(world)
    assert len(await standing(world, ana["id"])) == 1
    assert await standing(world, rui["id"]) == []
    await world.http.patch(f"/v1/users/{rui['id']}", json={"job_title": "Eletricista"})
    await world.http.patch(f"/v1/users/{ana['id']}", json={"job_title": None})
    await settle(world)
    assert await standing(world, ana["id"]) == []
    assert len(await standing(world, rui["id"])) == 1
    assert (await happened(world))[-2:] == [
        ("requirement.released", ana["id"]),
        ("requirement.assigned", rui["id"]),
    ] or (await happened(world))[-2:] == [
        ("requirement.assigned", rui["id"]),
        ("requirement.released", ana["id"]),
    ]
    assert [each["status"] for each in await enrolled(world, ana["id"])] == ["NOT_STARTED"]


async def test_who_was_suspended_is_released_and_keeps_the_enrollment(world: World) -> None:
    ana = await world.user()
    await require(world, cancel_not_started=True)
    await world.http.post(f"/v1/users/{ana['id']}/suspend")
    await settle(world)
    assert await standing(world, ana["id"]) == []
    assert len(await enrolled(world, ana["id"])) == 1
    await world.http.post(f"/v1/users/{ana['id']}/reactivate")
    await settle(world)
    assert len(await standing(world, ana["id"])) == 1
    assert len(await enrolled(world, ana["id"])) == 1


async def test_what_was_not_started_is_cancelled_if_the_requirement_says_so(world: World) -> None:
    ana = await world.user()
    requirement = await require(world, cancel_not_started=True)
    assert (await world.http.delete(f"/v1/requirements/{requirement['id']}")).status_code == 204
    await settle(world)
    assert await enrolled(world, ana["id"]) == []
    assert (await world.http.get(f"/v1/requirements/{requirement['id']}")).status_code == 404
    assert (await happened(world))[-1] == ("requirement.released", ana["id"])


async def test_a_renewal_begins_where_the_old_validity_ends(world: World) -> None:
    ana = await world.user()
    course = await world.course()
    await require(world, course_id=str(course), renew_months=12)
    await complete(world, (await enrolled(world, ana["id"]))[0]["id"])
    (state,) = await standing(world, ana["id"])
    assert state["state"] == "VALID"
    assert state["due_at"] == state["valid_until"]
    end = state["valid_until"]
    pair = {"user_id": ana["id"], "course_id": str(course)}
    refusal = (await world.http.post("/v1/enrollments", json=pair)).json()["error"]
    assert refusal["code"] == "already_enrolled"
    world.clock.move(days=310)
    assert refusal["detail"]["renewable_from"] < world.clock.now.isoformat()
    await settle(world)
    first, second = await enrolled(world, ana["id"])
    assert (first["status"], second["status"]) == ("COMPLETED", "NOT_STARTED")
    (state,) = await standing(world, ana["id"])
    assert (state["state"], state["enrollment_id"]) == ("DUE_SOON", second["id"])
    await complete(world, second["id"])
    (state,) = await standing(world, ana["id"])
    assert state["state"] == "VALID"
    assert state["valid_until"][:4] == str(int(end[:4]) + 1)
    assert state["valid_until"][4:] == end[4:]
    certificates = (await world.http.get(f"/v1/certificates?user_id={ana['id']}")).json()["data"]
    assert [each["expires_at"] for each in certificates] == [state["valid_until"], end]
    assert [type for type, _ in await happened(world)] == [
        "requirement.assigned",
        "requirement.satisfied",
        "requirement.satisfied",
    ]


async def test_a_due_date_that_passes_is_told_once(world: World) -> None:
    ana = await world.user()
    await require(world, due_days=1)
    world.clock.move(days=3)
    await settle(world)
    await settle(world)
    (state,) = await standing(world, ana["id"])
    assert state["state"] == "OVERDUE"
    assert [type for type, _ in await happened(world)] == ["requirement.assigned", "requirement.overdue"]


async def test_two_requirements_for_one_course_are_one(world: World) -> None:
    ana = await world.user()
    course = str(await world.course())
    await require(world, course_id=course, due_days=90, renew_months=24, window_days=30)
    await require(world, course_id=course, due_days=5, renew_months=36, window_days=90)
    first, second = await standing(world, ana["id"])
    assert first | {"requirement_id": "", "because": ""} == second | {"requirement_id": "", "because": ""}
    assert first["state"] == "DUE_SOON"
    assert len(await enrolled(world, ana["id"])) == 1
    await complete(world, first["enrollment_id"])
    (first, _) = await standing(world, ana["id"])
    years = int(first["valid_until"][:4]) - world.clock.now.year
    assert years == 2


async def test_an_import_completes_what_the_requirement_enrolled(world: World) -> None:
    ana = await world.user()
    course = str(await world.course())
    await require(world, course_id=course, renew_months=12)
    past = {"user_id": ana["id"], "course_id": course, "source": "Antigo"}
    old = past | {"completed_at": (world.clock.now - timedelta(days=800)).isoformat()}
    new = past | {"completed_at": (world.clock.now - timedelta(days=30)).isoformat()}
    assert (await world.http.post("/v1/enrollments/import", json={"completions": [old]})).status_code == 201
    await settle(world)
    assert sorted(each["status"] for each in await enrolled(world, ana["id"])) == ["COMPLETED", "NOT_STARTED"]
    for _ in range(2):
        answer = await world.http.post("/v1/enrollments/import", json={"completions": [new]})
        assert answer.status_code == 201
    await settle(world)
    assert [each["status"] for each in await enrolled(world, ana["id"])] == ["COMPLETED"] * 2
    assert (await standing(world, ana["id"]))[0]["state"] == "VALID"


async def test_preview_equals_result(world: World) -> None:
    people = [await world.user() for _ in range(3)]
    course = str(await world.course())
    await world.enrollment(user_id=people[0]["id"], course_id=course)
    body = {"title": "A", "rule": EVERYBODY, "course_id": course, "due_days": 3}
    answer = (await world.http.post("/v1/requirements/preview?limit=2", json=body)).json()
    assert answer["_meta"] == {"people": 3, "holding": 0, "to_enroll": 2}
    assert answer["has_more"]
    rest = await world.http.post(
        f"/v1/requirements/preview?limit=2&cursor={answer['next_cursor']}", json=body
    )
    rows = answer["data"] + rest.json()["data"]
    await require(world, **body)
    for row in rows:
        (state,) = await standing(world, row["user_id"])
        assert state["due_at"] == row["due_at"]
    other = body | {"due_days": 4}
    wrong = await world.http.post(
        f"/v1/requirements/preview?limit=2&cursor={answer['next_cursor']}", json=other
    )
    assert wrong.json()["error"]["code"] == "invalid_cursor"


async def test_people_by_state(world: World) -> None:
    ana = await world.user()
    requirement = await require(world)
    address = f"/v1/requirements/{requirement['id']}/people"
    (row,) = (await world.http.get(f"{address}?state=due_soon")).json()["data"]
    assert row["user_id"] == ana["id"]
    assert (await world.http.get(f"{address}?state=VALID")).json()["data"] == []
    assert (await world.http.get(f"{address}?state=late")).status_code == 400


async def test_a_path_is_required(world: World) -> None:
    courses = [await world.course() for _ in range(2)]
    path_id = await path(world, *courses)
    ana = await world.user()
    await require(world, learning_path_id=str(path_id))
    taken = await enrolled(world, ana["id"])
    assert {each["course_id"] for each in taken} == {str(each) for each in courses}
    assert {each["expires_at"] for each in taken} == {None}
    for each in taken:
        await complete(world, each["id"])
    (state,) = await standing(world, ana["id"])
    assert (state["state"], state["valid_until"]) == ("VALID", None)


CONDITION = {"field": "job_title", "op": "eq", "value": "x"}


@pytest.mark.parametrize(
    ("rule", "field"),
    [
        ({}, "rule"),
        ({"all": [], "any": [CONDITION]}, "rule"),
        ({"any": []}, "rule.any"),
        ({"all": {}}, "rule.all"),
        ({"all": [CONDITION, CONDITION | {"op": "like"}]}, "rule.all.1.op"),
        ({"any": [{"not": CONDITION | {"field": "nada"}}]}, "rule.any.0.not.field"),
        (CONDITION | {"value": 3}, "rule.value"),
        (CONDITION | {"op": "in", "value": []}, "rule.value"),
        (CONDITION | {"op": "in", "value": ["x"] * 1001}, "rule.value"),
        (CONDITION | {"value": "x" * 201}, "rule.value"),
        (CONDITION | {"more": 1}, "rule.more"),
        ({"field": "job_title", "op": "eq"}, "rule.value"),
        ({"field": "business_unit_id", "op": "under", "value": str(uuid4())}, "rule.value"),
        ({"not": {"field": "learning_group_id", "op": "eq", "value": str(uuid4())}}, "rule.not.value"),
        ({"field": "role", "op": "eq", "value": "boss"}, "rule.value"),
        ({"field": "hire_date", "op": "before", "value": "2020-13-01"}, "rule.value"),
        ({"all": [CONDITION] * 201}, "rule"),
    ],
)
async def test_a_wrong_rule_is_refused_where_it_is_wrong(world: World, rule: Any, field: str) -> None:
    body = {"title": "A", "rule": rule, "course_id": str(await world.course()), "due_days": 1}
    answer = await world.http.post("/v1/requirements", json=body)
    assert (answer.status_code, answer.json()["error"].get("field")) == (400, field), answer.text


async def test_ten_levels_are_enough(world: World) -> None:
    rule: dict[str, Any] = CONDITION
    for _ in range(9):
        rule = {"not": rule}
    body = {"title": "A", "rule": rule, "course_id": str(await world.course()), "due_days": 1}
    assert (await world.http.post("/v1/requirements", json=body)).status_code == 201
    answer = await world.http.post("/v1/requirements", json=body | {"rule": {"not": rule}})
    assert answer.json()["error"]["field"] == "rule" + ".not" * 10


@pytest.mark.parametrize(
    ("members", "field"),
    [
        ({"course_id": None}, "course_id"),
        ({"learning_path_id": str(uuid4())}, "course_id"),
        ({"due_days": None}, "due_days"),
        ({"due_on": "2030-01-01"}, "due_days"),
        ({"due_days": -1}, "due_days"),
        ({"renew_months": 0}, "renew_months"),
        ({"renew_months": 1201}, "renew_months"),
        ({"window_days": 366}, "window_days"),
        ({"title": ""}, "title"),
    ],
)
async def test_wrong_members_are_refused(world: World, members: dict[str, Any], field: str) -> None:
    body = {"title": "A", "rule": EVERYBODY, "course_id": str(await world.course()), "due_days": 1}
    answer = await world.http.post("/v1/requirements", json=body | members)
    assert (answer.status_code, answer.json()["error"].get("field")) == (400, field), answer.text


async def test_a_course_of_nobody(world: World, stranger: World) -> None:
    body = {"title": "A", "rule": EVERYBODY, "course_id": str(await stranger.course()), "due_days": 1}
    for address in ("/v1/requirements", "/v1/requirements/preview"):
        answer = await world.http.post(address, json=body)
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "course_not_found")


async def test_changing_what_is_due(world: World) -> None:
    ana = await world.user()
    requirement = await require(world)
    path = f"/v1/requirements/{requirement['id']}"
    before = await standing(world, ana["id"])
    assert (await world.http.patch(path, json={"due_on": "2030-01-01"})).json()["error"][
        "field"
    ] == "due_days"
    answer = await world.http.patch(path, json={"due_days": None, "due_on": "2030-01-01"})
    assert answer.json()["data"]["due_on"] == "2030-01-01"
    await settle(world)
    assert (await standing(world, ana["id"]))[0]["due_at"] == "2030-01-02T02:59:59.000Z"
    await world.http.patch(path, json={"due_days": 10, "due_on": None})
    await settle(world)
    assert await standing(world, ana["id"]) == before
    await world.http.patch(path, json={"active": False})
    await settle(world)
    assert await standing(world, ana["id"]) == []


async def test_units_groups_and_paths_of_another_company_are_not_there(world: World, stranger: World) -> None:
    async with stranger.tx() as tx:
        unit = await units.create(tx, NewBusinessUnit(name=Name("Theirs")))
        group = await groups.create(tx, NewLearningGroup(name=Name("Theirs")))
    path_id = await path(stranger, await stranger.course())
    body = {"title": "A", "rule": EVERYBODY, "course_id": str(await world.course()), "due_days": 1}
    for field, id, code in (
        ("business_unit_id", unit.id, "unknown_business_unit"),
        ("learning_group_id", group.id, "unknown_learning_group"),
    ):
        rule = {"all": [{"field": field, "op": "eq", "value": str(id)}]}
        error = (await world.http.post("/v1/requirements", json=body | {"rule": rule})).json()["error"]
        assert (error["field"], error["code"]) == ("rule.all.0.value", code)
    of_path = body | {"course_id": None, "learning_path_id": str(path_id)}
    answer = await world.http.post("/v1/requirements", json=of_path)
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "learning_path_not_found")
    mine = (await require(world))["id"]
    for wrong, code in (
        ({"course_id": str(await stranger.course())}, "course_not_found"),
        ({"course_id": None, "learning_path_id": str(path_id)}, "learning_path_not_found"),
    ):
        answer = await world.http.patch(f"/v1/requirements/{mine}", json=wrong)
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, code)


async def test_courses_of_a_path_in_order_open_one_after_the_other(world: World) -> None:
    first, second = [await world.course() for _ in range(2)]
    path_id = await path(world, first, second, in_order=True, publish=False)
    ana = await world.user()
    await require(world, learning_path_id=str(path_id))
    assert await enrolled(world, ana["id"]) == []
    async with world.tx() as tx:
        await paths.publish(tx, path_id)
    await settle(world)
    (enrollment,) = await enrolled(world, ana["id"])
    assert (enrollment["course_id"], enrollment["expires_at"]) == (str(first), None)
    await complete(world, enrollment["id"])
    courses = {each["course_id"] for each in await enrolled(world, ana["id"])}
    assert courses == {str(first), str(second)}


async def test_another_course_takes_the_due_date_from_the_first(world: World) -> None:
    ana = await world.user()
    requirement = await require(world)
    other = str(await world.course())
    await world.http.patch(f"/v1/requirements/{requirement['id']}", json={"course_id": other})
    await settle(world)
    async with world.tx() as tx:
        rows = await tx.rows("SELECT course_id, due_at FROM enrollments WHERE tenant_id = :tenant")
    due_dates = {str(row["course_id"]): row["due_at"] for row in rows}
    assert due_dates == {
        requirement["course_id"]: None,
        other: (await standing(world, ana["id"]))[0]["due_at"],
    }


async def test_who_is_excused_need_not_hold_it_until_the_excuse_ends(world: World) -> None:
    ana = await world.user()
    requirement = await require(world, due_days=1)
    ids = UUID(requirement["id"]), UUID(ana["id"])
    async with world.tx() as tx:
        await actions.excuse(tx, *ids, "Licença", tx.now + timedelta(days=5))
    await settle(world)
    world.clock.move(days=3)
    await settle(world)
    assert [each["state"] for each in await standing(world, ana["id"])] == ["EXCUSED"]
    world.clock.move(days=3)
    await settle(world)
    assert [each["state"] for each in await standing(world, ana["id"])] == ["OVERDUE"]
    async with world.tx() as tx:
        await actions.excuse(tx, *ids, "Licença", None)
        await actions.end_excuse(tx, *ids)
    await settle(world)
    assert [each["state"] for each in await standing(world, ana["id"])] == ["OVERDUE"]
