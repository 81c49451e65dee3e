"""The message about a wrong member states what is allowed."""

from typing import Any

import pytest

from conftest import World


async def problem(world: World, method: str, path: str, **sent: Any) -> dict[str, Any]:
    answer = await world.http.request(method, f"/v1{path}", **sent)
    assert answer.status_code == 400, answer.text
    (found,) = answer.json()["error"]["detail"]
    return dict(found)


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/users?status=GONE", ["ACTIVE", "SUSPENDED", "INACTIVE"]),
        ("/users?role=boss", ["learner", "admin", "gestor", "instrutor"]),
        ("/enrollments?status=done", ["NOT_STARTED", "IN_PROGRESS", "COMPLETED", "EXPIRED"]),
        ("/courses?status=gone", ["DRAFT", "PUBLISHED", "ARCHIVED"]),
        ("/categories?fields=colour", ["id", "name"]),
    ],
)
async def test_an_enum_lists_its_values(world: World, path: str, allowed: list[str]) -> None:
    found = await problem(world, "GET", path)
    assert (found["code"], found["allowed"]) == ("invalid_value", allowed)
    assert "minimum" not in found


async def test_an_enum_of_a_body_lists_its_values(world: World) -> None:
    body = {"email": "ana@example.com", "name": "Ana"}
    found = await problem(world, "POST", "/users", json=body | {"role": "boss"})
    assert found["allowed"] == ["learner", "gestor", "instrutor"]
    licence = {"numero": "98765432109", "categoria": "Z", "validade": "2099-01-31", "ear": True}
    found = await problem(world, "POST", "/users", json=body | {"cnh": licence})
    assert (found["field"], found["allowed"][0]) == ("cnh.categoria", "A")
    hook = {"url": "https://hooks.example.com/", "events": ["user.made"]}
    found = await problem(world, "POST", "/webhooks", json=hook)
    assert {"user.created", "user.*"} <= set(found["allowed"])


async def test_a_number_tells_its_range(world: World) -> None:
    found = await problem(world, "GET", "/users?limit=101")
    assert (found["minimum"], found["maximum"]) == (1, 100)
    item = {"user_id": str(world.tenant.id), "course_id": str(world.tenant.id), "source": "LMS"}
    item |= {"completed_at": "2024-01-01T00:00:00Z", "score": 101}
    found = await problem(world, "POST", "/enrollments/import", json={"completions": [item]})
    assert (found["field"], found["minimum"], found["maximum"]) == ("completions.0.score", 0, 100)


async def test_what_is_no_enum_and_no_number_tells_nothing_more(world: World) -> None:
    found = await problem(world, "POST", "/users", json={"email": "ana", "name": "Ana"})
    assert found.keys() == {"field", "message", "code"}
