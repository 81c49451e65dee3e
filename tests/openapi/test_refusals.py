"""The description of each operation of /v1 states every way in which it refuses a call, including the
headers.
"""

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import uuid4

import httpx2
import pytest

from conftest import World
from contract.test_tenancy import BODIES
from known import IMPORTED
from openapi.described import V1
from openapi.test_answers import Described
from trilha import app as trilha_app
from trilha.core.credentials import Scope
from trilha.core.web.rate_limits import Limit
from trilha.settings import Settings

JSON = {"content-type": "application/json"}
each_operation = pytest.mark.parametrize("name", V1.operations)
each_scoped = pytest.mark.parametrize("name", V1.scoped)


@pytest.fixture
def call(world: World) -> Described:
    return Described(world)


def ids(name: str) -> Iterator[str]:
    return ("en" if each == "language" else str(uuid4()) for each in re.findall(r"{(\w+)}", name))


def code(answer: httpx2.Response) -> str:
    return str(answer.json()["error"]["code"])


@each_scoped
async def test_of_a_credential_that_is_no_good(call: Described, world: World, name: str) -> None:
    keys = {
        "credential_missing": None,
        "credential_invalid": "nonsense",
        "credential_revoked": await world.key(),
    }
    async with world.tx() as tx:
        await tx.execute("UPDATE api_keys SET revoked_at = :now WHERE tenant_id = :tenant")
    keys["credential_expired"] = await world.key(lifetime=timedelta(hours=1))
    world.clock.move(hours=1)
    for expected, key in keys.items():
        answer = await call(name, *ids(name), http=world.client(key))
        assert (answer.status_code, code(answer)) == (401, expected)
        challenge = "Bearer" if key is None else 'Bearer error="invalid_token"'
        assert answer.headers["www-authenticate"] == challenge


@each_scoped
async def test_of_a_credential_that_may_not(call: Described, world: World, name: str) -> None:
    needed = V1.operations[name]["x-required-scope"]
    others = [scope for scope in Scope if scope != needed]
    answer = await call(name, *ids(name), http=world.client(await world.key(*others)))
    assert (answer.status_code, code(answer)) == (403, "insufficient_scope")
    assert answer.headers["www-authenticate"] == f'Bearer error="insufficient_scope", scope="{needed}"'
    answer = await call(name, *ids(name), http=world.client(await world.key(networks="192.0.2.0/24")))
    assert (answer.status_code, code(answer)) == (403, "ip_not_allowed")
    assert "www-authenticate" not in answer.headers


def application(world: World, **settings: Any) -> Any:
    return trilha_app.create_app(Settings(**settings), world.database, world.clock)


@each_operation
async def test_of_a_call_without_tls(call: Described, world: World, name: str) -> None:
    app = application(world, env="production", limit_v1=Limit(10**9, 900))
    answer = await call(name, *ids(name), http=world.client(await world.key(), app))
    assert (answer.status_code, code(answer)) == (403, "https_required")


@each_operation
async def test_of_one_call_too_many(call: Described, world: World, name: str) -> None:
    app = application(world, limit_v1=Limit(1, 900), limit_verify=Limit(1, 900))
    http = world.client(None, app, f"2001:db8::{uuid4().hex[:4]}")
    await call(name, *ids(name), http=http)
    answer = await call(name, *ids(name), http=http)
    assert (answer.status_code, code(answer)) == (429, "rate_limit_exceeded")


@each_operation
async def test_of_what_cannot_be_read(call: Described, name: str) -> None:
    takes_body = "requestBody" in V1.operations[name]
    tried = {
        "payload_too_large": await call(name, *ids(name), content=b" " * (2 * 1024 * 1024 + 1), headers=JSON),
        "malformed_json": await call(name, *ids(name), content=b"{", headers=JSON),
        "invalid_type": await call(name, *ids(name), content=b"[]", headers=JSON),
        "unknown_parameter": await call(name, *ids(name), params={"dry_run": "1"}),
    }
    if takes_body:
        tried["unsupported_media_type"] = await call(name, *ids(name), content=b"<a/>")
    else:
        tried["unknown_field"] = await call(name, *ids(name), json={"a": 1})
    for expected, answer in tried.items():
        if takes_body and expected == "unknown_parameter":
            assert answer.status_code in (400, 415)
        else:
            assert code(answer) == expected
    if name.startswith("POST"):
        answer = await call(name, *ids(name), headers={"idempotency-key": "x" * 256, **JSON}, content=b"{}")
        assert code(answer) in ("invalid_idempotency_key", "required")


@pytest.mark.parametrize("name", [each for each in V1.scoped if "{" in each])
async def test_of_a_thing_that_is_not_there(call: Described, name: str) -> None:
    for made_up in (list(ids(name)), ["7"] * name.count("{")):
        answer = await call(name, *made_up, **_body(name))
        assert (answer.status_code, answer.json()["error"]["type"]) == (404, "not_found")


def _body(name: str) -> dict[str, Any]:
    if "requestBody" not in V1.operations[name]:
        return {}
    return {"json": V1.operations[name]["requestBody"]["content"]["application/json"]["example"]}


@pytest.mark.parametrize("name", [each for each in V1.operations if each.startswith("POST") and "{" in each])
async def test_of_a_404_that_is_repeated(call: Described, name: str) -> None:
    made_up, key = list(ids(name)), {"idempotency-key": "k"}
    for replayed in (None, "true"):
        answer = await call(name, *made_up, headers=key, **_body(name))
        assert (answer.status_code, answer.headers.get("idempotent-replayed")) == (404, replayed)
    other = list(ids(name))
    reused = await call(name, *other, headers=key, **_body(name))
    assert (reused.status_code, code(reused)) == (409, "idempotency_key_reused")


async def test_of_every_answer_that_is_repeated(call: Described, world: World) -> None:
    regulated, course = await world.course(regulation={"kind": "traffic"}), str(await world.course())
    archived = await world.course()
    listed = (await call("GET /courses/{course_id}/modules", course)).json()["data"]
    module = listed[0]["id"]
    user = (await world.user())["id"]
    hook = {"url": "https://hooks.example.com/", "events": ["user.created"]}
    webhook = (await call("POST /webhooks", json=hook)).json()["data"]["id"]
    delivery = (await call("POST /webhooks/{webhook_id}/test", webhook)).json()["data"]["id"]
    new = {"email": "ana@example.com", "name": "Ana"}
    pair = {"user_id": user, "course_id": course}
    enrollment = (await world.enrollment(user_id=user))["id"]
    asked = [str(await world.course(self_enrollment="APPROVAL")) for _ in range(2)]
    requests = [
        (await call("POST /users/{user_id}/enrollment-requests", user, json={"course_id": each})).json()
        for each in asked
    ]
    approved, rejected = [each["data"]["id"] for each in requests]
    free = str(await world.course(self_enrollment="OPEN"))
    subscription = BODIES["POST /users/{user_id}/push-subscriptions"]
    requirement = {"title": "A", "rule": {"all": []}, "course_id": course, "due_days": 1}
    span = {
        "since": (world.clock.now - timedelta(hours=1)).isoformat(),
        "until": world.clock.now.isoformat(),
    }
    class_module = {"title": "A", "type": "CLASS"}
    members = {"course_id": course}
    made = await call("POST /courses/{course_id}/modules", course, json=class_module)
    members["module_id"] = made.json()["data"]["id"]
    new_class = BODIES["POST /classes"] | members | {"title": "A"}
    new_class |= {"sessions": [{name: new_class["sessions"][0][name] for name in ("starts_at", "ends_at")}]}
    meeting = (await call("POST /classes", json=new_class)).json()["data"]
    registered = (await world.user())["id"]
    registration = (
        await call("POST /classes/{class_id}/registrations", meeting["id"], json={"user_id": registered})
    ).json()["data"]["id"]
    registrations = "/classes/{class_id}/registrations"
    qualification = {"user_id": user, "title": "A", "issuing_body": "CREA", "valid_from": "2026-01-01"}
    unknown = str(uuid4())
    assessment = dict.fromkeys(("enrollment_id", "module_id", "assessor_id"), unknown)
    seen = set()
    tried: list[tuple[int, str, list[str], Any]] = [
        (201, "POST /users", [], new),
        (409, "POST /users", [], new),
        (200, "POST /users/search", [], {"cpf": "529.982.247-25"}),
        (204, "POST /users/{user_id}/suspend", [user], None),
        (204, "POST /users/{user_id}/reactivate", [user], None),
        (201, "POST /courses", [], {"title": "A"}),
        (409, "POST /courses", [], {"title": "A", "slug": "a"}),
        (201, "POST /courses/{course_id}/modules", [course], {"title": "A", "body": "a"}),
        (202, "POST /courses/{course_id}/modules", [course], IMPORTED),
        (404, "POST /courses/{course_id}/modules", [str(uuid4())], {"title": "A", "body": "a"}),
        (200, "POST /courses/{course_id}/modules/{module_id}/move", [course, module], {"position": 2}),
        (200, "POST /courses/{course_id}/archive", [str(archived)], None),
        (200, "POST /courses/{course_id}/publish", [str(archived)], None),
        (201, "POST /enrollments", [], pair),
        (409, "POST /enrollments", [], pair),
        (404, "POST /enrollments", [], {**pair, "course_id": str(uuid4())}),
        (422, "POST /enrollments", [], {**pair, "course_id": str(regulated)}),
        (400, "POST /enrollments", [], {**pair, "expires_at": "2001-01-01T00:00:00Z"}),
        (201, "POST /users/{user_id}/enrollment-requests", [user], {"course_id": free}),
        (422, "POST /users/{user_id}/enrollment-requests", [user], {"course_id": course}),
        (200, "POST /enrollment-requests/{enrollment_request_id}/approve", [approved], {}),
        (409, "POST /enrollment-requests/{enrollment_request_id}/approve", [approved], {}),
        (200, "POST /enrollment-requests/{enrollment_request_id}/reject", [rejected], {"reason": "A"}),
        (201, "POST /enrollments/bulk", [], {"enrollments": [pair]}),
        (201, "POST /enrollments/import", [], {"completions": []}),
        (200, "POST /requirements/preview", [], requirement),
        (404, "POST /enrollments/{enrollment_id}/launch", [enrollment], {"module_id": str(uuid4())}),
        (201, "POST /classes", [], new_class),
        (201, "POST /classes/{class_id}/sessions", [meeting["id"]], new_class["sessions"][0]),
        (201, f"POST {registrations}", [meeting["id"]], {"user_id": user}),
        (409, f"POST {registrations}", [meeting["id"]], {"user_id": user}),
        (201, f"POST {registrations}/bulk", [meeting["id"]], {"user_ids": [user]}),
        (200, f"POST {registrations}/{{registration_id}}/cancel", [meeting["id"], registration], {}),
        (
            200,
            "POST /sessions/{class_session_id}/cancel",
            [meeting["sessions"][0]["id"]],
            {"reason": "A"},
        ),
        (200, "POST /classes/{class_id}/cancel", [meeting["id"]], {"reason": "A"}),
        (202, "POST /enrollments/{enrollment_id}/remind", [enrollment], {"text": "A"}),
        (409, "POST /enrollments/{enrollment_id}/remind", [enrollment], {"text": "A"}),
        (201, "POST /users/{user_id}/push-subscriptions", [user], subscription),
        (201, "POST /requirements", [], requirement),
        (201, "POST /qualifications", [], qualification),
        (404, "POST /practice-assessments", [], assessment),
        (404, "POST /practice-assessments/{practice_assessment_id}/annul", [unknown], {"reason": "A"}),
        (400, "POST /requirements", [], requirement | {"rule": {}}),
        (202, "POST /analytics/exports", [], {"type": "csv"}),
        (201, "POST /webhooks", [], hook),
        (400, "POST /webhooks", [], {**hook, "url": "https://10.0.0.1/"}),
        (200, "POST /webhooks/{webhook_id}/rotate-secret", [webhook], None),
        (200, "POST /webhooks/{webhook_id}/test", [webhook], None),
        (202, "POST /webhooks/{webhook_id}/replay", [webhook], span),
        (202, "POST /webhooks/{webhook_id}/deliveries/{delivery_id}/retry", [webhook, delivery], None),
    ]
    for number, (status, name, path, body) in enumerate(tried):
        sent = {"json": body} if body is not None else {}
        first, again = [
            await call(name, *path, headers={"idempotency-key": f"k{number}"}, **sent) for _ in range(2)
        ]
        assert (first.status_code, again.status_code) == (status, status), (name, first.text)
        assert ("idempotent-replayed" in first.headers, again.headers.get("idempotent-replayed")) == (
            False,
            "true",
        )
        assert again.content == first.content
        seen.add(name)
    assert seen == {name for name in V1.operations if name.startswith("POST")}


async def test_of_a_database_that_is_gone(call: Described, world: World) -> None:
    from trilha.core.database import Database
    from trilha.core.database.logins import serving_urls

    keyring = world.database.keyring
    gone = Database(serving_urls(world.url, keyring), world.clock, keyring)
    await gone.open()
    await gone.close()
    http = world.client(app=trilha_app.create_app(Settings(), gone, world.clock))
    for name in V1.operations:
        answer = await call(name, *ids(name), http=http)
        assert (answer.status_code, code(answer)) == (503, "unavailable")
