"""GET /v1/users"""

import pytest

from conftest import World


async def test_lists_users_newest_first(world: World) -> None:
    first = await world.user()
    world.clock.move(seconds=1)
    second = await world.user()
    answer = await world.http.get("/v1/users")
    assert answer.status_code == 200
    assert answer.json() == {"data": [second, first], "next_cursor": None, "has_more": False, "limit": 20}


async def test_filters_by_status_email_and_role(world: World) -> None:
    ana = await world.user(email="ana@example.com")
    bia = await world.user(email="bia@example.com", role="gestor")
    await world.http.post(f"/v1/users/{bia['id']}/suspend")
    for query, expected in (
        ("status=ACTIVE", [ana]),
        ("status=SUSPENDED", [bia]),
        ("status=INACTIVE", []),
        ("role=gestor", [bia]),
        ("role=admin", []),
        ("email=ANA@Example.com", [ana]),
        ("email=eva@example.com", []),
        ("email=bia@example.com&status=ACTIVE", []),
    ):
        found = (await world.http.get(f"/v1/users?{query}")).json()["data"]
        assert [user["id"] for user in found] == [user["id"] for user in expected], query


@pytest.mark.parametrize(
    ("query", "field", "code"),
    [
        ("status=actives", "status", "invalid_value"),
        ("q=", "q", "too_short"),
        ("q=%20", "q", "too_short"),
        ("business_unit_id=7", "business_unit_id", "invalid_uuid"),
        ("created_since=2026", "created_since", "invalid_date_time"),
        ("status=", "status", "invalid_value"),
        ("status=null", "status", "invalid_value"),
        ("email=ana", "email", "invalid_email"),
        ("email=null", "email", "invalid_email"),
        ("email=a%00@example.com", "email", "invalid_text"),
        ("role=boss", "role", "invalid_value"),
        ("Status=ACTIVE", "Status", "unknown_parameter"),
        ("status=ACTIVE&status=ACTIVE", "status", "duplicate_parameter"),
    ],
)
async def test_refuses_a_filter_it_cannot_read(world: World, query: str, field: str, code: str) -> None:
    """A mistyped filter must never widen a result."""
    answer = await world.http.get(f"/v1/users?{query}")
    error = answer.json()["error"]
    assert (answer.status_code, error["field"], error["code"]) == (400, field, code)
