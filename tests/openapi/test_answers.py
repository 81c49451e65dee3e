"""The application's answers match the description: status, headers, body and code."""

import re
from typing import Any
from uuid import uuid4

import httpx2
import pytest

from conftest import CNH, CPF, PHONE, World
from known import known_ids
from openapi.described import V1

DOCUMENTS = {
    "cpf": CPF,
    "phone": PHONE,
    "birth_date": "1990-05-17",
    "cnh": {"numero": CNH, "categoria": "AB", "validade": "2099-01-31", "ear": True},
}


class Described:
    """Calls operations and checks each answer against the description."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.seen: set[tuple[str, int]] = set()

    async def __call__(
        self, name: str, *ids: Any, http: httpx2.AsyncClient | None = None, **sent: Any
    ) -> httpx2.Response:
        method, _, path = name.partition(" ")
        filled = path
        for each in ids:
            filled = filled.replace(filled[filled.index("{") : filled.index("}") + 1], str(each), 1)
        answer = await (http or self.world.http).request(method, f"/v1{filled}", **sent)
        V1.check(name, answer)
        self.seen.add((name, answer.status_code))
        return answer


@pytest.fixture
def call(world: World) -> Described:
    return Described(world)


async def test_of_users(call: Described) -> None:
    body = {"email": "ana@example.com", "name": "Ana", **DOCUMENTS}
    key = {"idempotency-key": "one"}
    user = (await call("POST /users", json=body, headers=key)).json()["data"]["id"]
    assert (await call("POST /users", json=body, headers=key)).headers["idempotent-replayed"] == "true"
    await call("POST /users", json=body)
    await call("POST /users", json=body | {"name": "Other"}, headers=key)
    await call("POST /users", json={"cpf": "1", "cnh": {}, "birth_date": "2020-01-01"})
    await call("POST /users", content=b"{")
    await call("POST /users", content=b"{", headers={"content-type": "application/json"})
    await call("POST /users", content=b"x" * 1_100_000, headers={"content-type": "application/json"})
    await call("GET /users")
    await call("GET /users", params={"limit": 1, "fields": "name,cnh"})
    await call("GET /users", params={"cursor": "nonsense"})
    await call("GET /users", params={"status": "null"})
    await call("GET /users/{user_id}", user)
    await call("GET /users/{user_id}", user, params={"fields": "email"})
    await call("GET /users/{user_id}", uuid4())
    await call("PATCH /users/{user_id}", user, json={"department": None, "cpf": None})
    await call("PATCH /users/{user_id}", user, json={"email": "new@example.com"})
    await call("PATCH /users/{user_id}", uuid4(), json={})
    await call("PATCH /users/{user_id}", user, json={"email": "no address"})
    await call("POST /users/search", json={"cpf": CPF})
    await call("POST /users/search", json={"cpf": "1"})
    again = {"email": "new@example.com", "name": "Ana", **DOCUMENTS}
    other = {"email": "other@example.com", "name": "Other"}
    items = [again, other, other | {"cpf": CPF}, {"cpf": "1"}, {"name": 1, "x": 1}, other | {"cpf": CPF}]
    await call("PUT /users/bulk", json={"users": items})
    await call("PUT /users/bulk", json={"users": items, "invite": 1})
    await call("GET /users", params={"q": "ana", "business_unit_id": str(uuid4()), "department": "RH"})
    for verb in ("suspend", "reactivate"):
        await call(f"POST /users/{{user_id}}/{verb}", user)
        await call(f"POST /users/{{user_id}}/{verb}", uuid4())
    await call("GET /users/{user_id}/certificates", user)
    await call("GET /users/{user_id}/certificates", "no-uuid")
    assert {status for _, status in call.seen} == {200, 201, 204, 400, 404, 409, 413, 415}


async def test_of_courses(call: Described, world: World) -> None:
    course = await world.course(tags=["a"], difficulty="BEGINNER", duration_hours=1.5)
    await world.enrollment(course_id=course)
    await call("GET /courses", params={"tags": "a,b"})
    for path in ("", "/modules", "/stats"):
        await call(f"GET /courses/{{course_id}}{path}", course)
        await call(f"GET /courses/{{course_id}}{path}", uuid4())
        await call(f"GET /courses/{{course_id}}{path}", course, params={"page": 2})


async def test_of_enrollments(call: Described, world: World) -> None:
    regulated = await world.course(regulation={"kind": "traffic"})
    course, draft = await world.course(), await world.course(publish=False)
    user = (await world.user())["id"]
    for wanted, status in ((course, 201), (course, 409), (regulated, 422), (draft, 422), (uuid4(), 404)):
        body = {"user_id": user, "course_id": str(wanted)}
        answer = await call("POST /enrollments", json=body)
        assert answer.status_code == status
    await call(
        "POST /enrollments",
        json={"user_id": user, "course_id": str(course), "expires_at": "2001-01-01T00:00:00Z"},
    )
    pairs = [{"user_id": user, "course_id": str(each)} for each in (course, regulated, uuid4())]
    await call("POST /enrollments/bulk", json={"enrollments": pairs})
    await call("POST /enrollments/bulk", json={"enrollments": [{"user_id": 1}]})
    page = await call("GET /enrollments", params={"status": "not_started"})
    enrollment = page.json()["data"][0]["id"]
    await call("GET /enrollments", params={"fields": "score"})
    since = {"completed_since": "2024-01-01T00:00:00Z"}
    await call("GET /enrollments", params={"status": "COMPLETED,in_progress"} | since)
    past = pairs[0] | {"completed_at": "2024-03-09T17:30:00Z", "source": "Old"}
    wrong = [past | {"started_at": "2025-01-01T00:00:00Z"}, past | {"user_id": str(uuid4())}]
    await call("POST /enrollments/import", json={"completions": [past, past, *wrong]})
    await call("POST /enrollments/import", json={"completions": [{}]})
    for moment in ("2099-01-01T00:00:00Z", None, "2001-01-01T00:00:00Z", 1):
        await call("PATCH /enrollments/{enrollment_id}", enrollment, json={"expires_at": moment})
    await call("PATCH /enrollments/{enrollment_id}", uuid4(), json={"expires_at": None})
    await call("GET /enrollments/{enrollment_id}", enrollment)
    await call("GET /enrollments/{enrollment_id}", uuid4())
    await call("GET /enrollments/{enrollment_id}/interactions", enrollment)
    await call("GET /users/{user_id}/enrollments", user, params={"fields": "progress"})
    (done,) = (await call("GET /enrollments", params={"status": "completed"})).json()["data"]
    await call("PATCH /enrollments/{enrollment_id}", done["id"], json={"expires_at": None})
    for each in (enrollment, enrollment, done["id"]):
        await call("DELETE /enrollments/{enrollment_id}", each)


@pytest.mark.parametrize("name", [name for name in V1.operations if name.startswith("GET")])
async def test_of_every_read(call: Described, world: World, name: str) -> None:
    known = await known_ids(world)
    ids = [known[each] for each in re.findall("{(.*?)}", name)]
    answer = await call(name, *ids)
    whole = answer.json()["data"] if answer.headers["content-type"] == "application/json" else answer.text
    assert whole or name.endswith(("/interactions", "/statements"))
    parameters = {each["name"]: each for each in V1.operations[name]["parameters"]}
    first = whole[0] if whole and isinstance(whole, list) else whole
    for member in first if isinstance(first, dict) else ():
        assert (await call(name, *ids, params={"fields": member})).status_code == 200
    for parameter in parameters.values():
        if parameter["in"] == "query" and (shown := parameter["schema"].get("examples")):
            answer = await call(name, *ids, params={parameter["name"]: shown[0]})
            assert answer.status_code == 200, parameter["name"]
        if parameter["in"] == "query":
            assert (await call(name, *ids, params={parameter["name"]: "\x00"})).status_code == 400


async def test_of_changing_and_removing_webhooks(call: Described, world: World) -> None:
    webhook = (await known_ids(world))["webhook_id"]
    name = "PATCH /webhooks/{webhook_id}"
    for body, status in (
        ({"active": False}, 200),
        ({}, 200),
        ({"url": "https://10.0.0.1/"}, 400),
        ({"a": 1}, 400),
    ):
        assert (await call(name, webhook, json=body)).status_code == status
    for status in (204, 404):
        assert (await call("DELETE /webhooks/{webhook_id}", webhook)).status_code == status
