"""Query strings: a filter that is mistyped is refused, never dropped."""

import pytest

from conftest import World


@pytest.mark.parametrize(
    ("query", "field", "code"),
    [
        ("status=null", "status", "invalid_value"),
        ("email=null", "email", "invalid_email"),
        ("updated_since=null", "updated_since", "invalid_date_time"),
        ("cursor=null", "cursor", "invalid_cursor"),
        ("limit=null", "limit", "invalid_type"),
        ("fields=", "fields", "too_short"),
        ("fields=name,,email", "fields", "invalid_value"),
        ("fields=name,shoe_size", "fields", "invalid_value"),
    ],
)
async def test_refuses(world: World, query: str, field: str, code: str) -> None:
    answer = await world.http.get(f"/v1/users?{query}")
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert (error["field"], error["code"]) == (field, code)


async def test_takes_blanks_around_names(world: World) -> None:
    await world.user()
    answer = await world.http.get("/v1/users?fields=name , email")
    assert answer.json()["data"][0].keys() == {"id", "name", "email"}
