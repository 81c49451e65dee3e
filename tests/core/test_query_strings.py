"""Query strings: a mistyped filter is refused, never ignored."""

from typing import Any

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


@pytest.mark.parametrize(
    ("query", "found"),
    [(b"q=in\xc3\xaas", True), (b"q=in%C3%AAs", True), (b"q=agn\xc3\xa8s", False), (b"q=in\xeas", None)],
)
async def test_takes_letters_that_are_not_encoded(world: World, query: bytes, found: bool | None) -> None:
    """Command lines send them unencoded. Bytes that are not UTF-8 are refused."""
    user = await world.user(name="Inês Prado")

    async def sent(scope: Any, receive: Any, send: Any) -> None:
        await world.app(scope | {"query_string": query}, receive, send)

    key = await world.key()
    async with world.client(key, app=sent) as http:
        answer = (await http.get("/v1/users")).json()
    if found is None:
        assert answer["error"]["code"] == "invalid_text"
    else:
        assert [each["id"] for each in answer["data"]] == ([user["id"]] if found else [])


async def test_takes_blanks_around_names(world: World) -> None:
    await world.user()
    answer = await world.http.get("/v1/users?fields=name , email")
    assert answer.json()["data"][0].keys() == {"id", "name", "email"}
