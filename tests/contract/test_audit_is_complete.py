"""Every change by a caller is in the audit log: each unsafe route of /v1 is called, and must
write a record.
"""

from typing import Any
from uuid import UUID

import pytest

from conftest import CNH, CPF, PHONE, World
from contract.test_tenancy import BODIES, filled, key
from known import known_ids
from trilha.app import all_routes
from trilha.core.web.routes import Route
from trilha.platform.audit import queries
from trilha.platform.audit.schema import AuditQuery, AuditRecord

# These only read, and take parameters that may be in no address.
READS = {"/users/search", "/requirements/preview"}
UNSAFE = [
    pytest.param(route, id=f"{route.method} {route.path}")
    for route in all_routes()
    if route.method != "GET" and route.path not in READS
]


async def records(world: World, **filters: Any) -> list[AuditRecord]:
    async with world.tx() as tx:
        return list((await queries.list_page(tx, AuditQuery(limit=100, **filters))).data)


async def call(world: World, route: Route, ids: dict[str, str]) -> Any:
    body = {"json": filled(BODIES[key(route)], ids | {"new": "new"})} if route.data else {}
    return await world.http.request(route.method, f"/v1{route.path.format(**ids)}", **body)


def named_ids(route: Route, ids: dict[str, str], answer: Any) -> set[str | None]:
    """What the address and the answer name. A change of a session is recorded for its class."""
    shown = answer.json()["data"] if answer.content else {}
    if isinstance(shown, list):  # the attendance of a session
        shown = {}
    named = {ids[name] for name in route.path_params} | {shown.get("id"), shown.get("class_id")}
    return named | set(shown.get("user_ids", ()))


@pytest.mark.parametrize("route", UNSAFE)
async def test_a_call_that_changes_something_leaves_a_record(world: World, route: Route) -> None:
    ids = await known_ids(world)
    if route.path.startswith("/enrollments"):
        ids["course_id"] = str(await world.course())
    if route.path == "/enrollments/{enrollment_id}":  # the enrollment of the others is completed
        ids["enrollment_id"] = (await world.enrollment())["id"]
    if route.path.endswith("/enrollment-requests"):
        ids["course_id"] = str(await world.course(self_enrollment="APPROVAL"))
    if route.path == "/courses/{course_id}/publish":
        ids["course_id"] = str(await world.course(publish=False))
    if route.path.endswith("/reactivate"):
        await world.http.post(f"/v1/users/{ids['user_id']}/suspend")
    if route.path.startswith("/classes/{class_id}/registrations") and not route.path.endswith("/cancel"):
        ids["user_id"] = (await world.user())["id"]
    before = {each.id for each in await records(world)}
    answer = await call(world, route, ids)
    assert answer.is_success, answer.text
    new = [each for each in await records(world) if each.id not in before]
    if route.path.endswith("/approve"):  # it enrolls, too
        new = [each for each in new if each.action != "enrollment.created"]
    if "/registrations" in route.path:  # it enrolls, too
        new = [each for each in new if not each.action.startswith("enrollment.")]
    if "/translations/" in route.path:  # it changes the course, too
        new = [each for each in new if each.action != "course.updated"] or new
    (record,) = new
    assert (record.actor_kind, record.actor_name, record.source) == ("api_key", "Test", "127.0.0.1")
    named = named_ids(route, ids, answer)
    assert str(record.target_id) in named or record.action.startswith(("enrollment.bulk_", "tenant."))


async def test_a_call_that_changes_nothing_leaves_none(world: World) -> None:
    ids = await known_ids(world)
    before = len(await records(world))
    path = f"/v1/users/{ids['user_id']}"
    pair = {"user_id": ids["user_id"], "course_id": ids["course_id"]}
    answers = [
        await world.http.patch(path, json={"name": "Ana Lima"}),
        await world.http.post(f"{path}/reactivate"),
        await world.http.post("/v1/enrollments", json=pair),
        await world.http.post("/v1/enrollments/bulk", json={"enrollments": [pair]}),
        await world.http.patch(f"/v1/webhooks/{ids['webhook_id']}", json={"active": True}),
    ]
    assert [each.status_code for each in answers] == [200, 204, 409, 201, 200]
    assert len(await records(world)) == before


async def test_of_a_person_no_value_is_on_record(world: World) -> None:
    documents = {
        "cpf": CPF,
        "phone": PHONE,
        "birth_date": "1990-05-17",
        "cnh": {"numero": CNH, "categoria": "AB", "validade": "2099-01-31", "ear": True},
    }
    user = await world.user(**documents)
    body = {"name": "Bia Reis", "department": "Frota", "cpf": None, "birth_date": "1991-06-18"}
    assert (await world.http.patch(f"/v1/users/{user['id']}", json=body)).status_code == 200
    await world.http.post(f"/v1/users/{user['id']}/suspend")
    async with world.tx() as tx:
        rows = await tx.rows("SELECT a::text AS line FROM audit_records a WHERE tenant_id = :tenant")
    text = " ".join(row["line"] for row in rows)
    for secret in (
        "Ana Lima",
        "Bia Reis",
        "Frota",
        user["email"],
        "529.982",
        "529982",
        CNH[:9],
        "98765-4321",
        "1990-05",
        "1991-06",
    ):
        assert secret not in text
    (updated,) = await records(world, action="user.updated")
    assert updated.detail == {"changed": ["name", "department", "cpf", "birth_date"]}
    assert updated.target_name == "Bia Reis"


async def test_no_secret_is_on_record(world: World) -> None:
    ids = await known_ids(world)
    url = "https://hooks.example.com/token-in-the-path?key=s3cr3t"
    body = {"url": url, "events": ["user.created"], "description": "words"}
    made = (await world.http.post("/v1/webhooks", json=body)).json()["data"]
    rotated = (await world.http.post(f"/v1/webhooks/{made['id']}/rotate-secret")).json()["data"]
    await world.http.patch(f"/v1/webhooks/{ids['webhook_id']}", json={"url": url})
    api_key = await world.key()
    async with world.tx() as tx:
        rows = await tx.rows("SELECT a::text AS line FROM audit_records a WHERE tenant_id = :tenant")
    text = " ".join(row["line"] for row in rows)
    assert "hooks.example.com" in text
    for secret in (made["secret"], rotated["secret"], api_key, "token-in-the-path", "s3cr3t", "words"):
        assert secret not in text


async def test_many_at_once_are_one_record_of_a_bounded_size(world: World) -> None:
    course, other = await world.course(), await world.course()
    users = [(await world.user())["id"] for _ in range(3)]
    pairs = [{"user_id": each, "course_id": str(course)} for each in users]
    pairs += [pairs[0], {"user_id": users[0], "course_id": str(other)}]
    pairs += [{"user_id": str(UUID(int=1)), "course_id": str(other)}]
    answer = await world.http.post("/v1/enrollments/bulk", json={"enrollments": pairs})
    assert answer.json()["data"] | {"errors": []} == {"created": 4, "skipped": 1, "failed": 1, "errors": []}
    (record,) = await records(world, action="enrollment.")
    enrollments = (await world.http.get("/v1/enrollments")).json()["data"]
    assert (record.action, record.target_id) == ("enrollment.bulk_created", None)
    assert record.detail["courses"] == {str(course): 3, str(other): 1}
    assert sorted(record.detail["enrollment_ids"]) == sorted(each["id"] for each in enrollments)
    assert [record.detail[name] for name in ("created", "skipped", "failed")] == [4, 1, 1]
    assert len(await world.events("enrollment.created")) == 4


async def test_a_refused_call_leaves_none(world: World) -> None:
    before = len(await records(world))
    body = {"email": "same@example.com", "name": "Eva", "password": "correct horse"}
    answers = [await world.http.post("/v1/users", json=body) for _ in range(2)]
    assert [each.status_code for each in answers] == [201, 409]
    assert len(await records(world)) == before + 1
