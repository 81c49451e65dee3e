"""Addresses and methods: what each serves, and the answers to others."""

import pytest

from conftest import World


@pytest.mark.parametrize(
    ("method", "path", "allow"),
    [
        ("PUT", "/v1/users", "GET, HEAD, OPTIONS, POST"),
        ("DELETE", "/v1/users/7", "GET, HEAD, OPTIONS, PATCH"),
        ("GET", "/v1/users/7/suspend", "OPTIONS, POST"),
        ("HEAD", "/v1/users/7/suspend", "OPTIONS, POST"),
        ("DELETE", "/v1/courses", "GET, HEAD, OPTIONS, POST"),
        # One enrollment can be read at an address of this form, but not at this one.
        ("GET", "/v1/enrollments/bulk", "OPTIONS, POST"),
        ("TRACE", "/v1/enrollments", "GET, HEAD, OPTIONS, POST"),
    ],
)
async def test_a_wrong_method_hears_the_right_ones(world: World, method: str, path: str, allow: str) -> None:
    answer = await world.http.request(method, path)
    assert (answer.status_code, answer.headers["allow"]) == (405, allow)
    if method != "HEAD":
        assert answer.json()["error"]["code"] == "method_not_allowed"


@pytest.mark.parametrize(
    ("path", "allow"),
    [("/v1/users", "GET, HEAD, OPTIONS, POST"), ("/v1/enrollments/bulk", "OPTIONS, POST")],
)
async def test_options_lists_every_method(world: World, path: str, allow: str) -> None:
    answer = await world.client().request("OPTIONS", path)
    assert (answer.status_code, answer.headers["allow"], answer.content) == (204, allow, b"")


@pytest.mark.parametrize("path", ["/v1/users", "/v1/users/7", "/v1/nothing", "/livez"])
async def test_head_answers_as_get_does_without_the_body(world: World, path: str) -> None:
    get, head = await world.http.get(path), await world.http.head(path)
    assert head.content == b""
    assert head.status_code == get.status_code
    shown = ("content-type", "content-length", "x-ratelimit-limit")
    assert [head.headers.get(name) for name in shown] == [get.headers.get(name) for name in shown]


@pytest.mark.parametrize("path", ["/v1", "/v1/", "/v1/nothing", "/api", "/api/v2/users", "/v1//users"])
async def test_nothing_at_an_address_is_told_in_the_envelope(world: World, path: str) -> None:
    answer = await world.http.get(f"http://trilha.test{path}")
    assert answer.status_code == 404
    error = answer.json()["error"]
    assert (error["type"], error["code"]) == ("not_found", "route_not_found")
    assert error["request_id"] == answer.headers["x-request-id"]


@pytest.mark.parametrize("path", ["/V1/users", "/x", "//v1/users", "//api/v1/users", "//", "//admin"])
async def test_nothing_at_an_address_of_no_surface_is_a_page(world: World, path: str) -> None:
    answer = await world.http.get(f"http://trilha.test{path}")
    assert (answer.status_code, answer.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert answer.text.startswith("<!doctype html>")


@pytest.mark.parametrize("path", ["/v1//users", "/v1/users//", "/v1/users/%2F", "/api//auth/session"])
async def test_two_slashes_are_not_one(world: World, path: str) -> None:
    answer = await world.http.get(f"http://trilha.test{path}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "route_not_found")


async def test_api_v1_is_the_same_surface(world: World) -> None:
    created = await world.http.post(
        "/api/v1/users",
        json={"email": "ana@example.com", "name": "Ana"},
        headers={"idempotency-key": "one"},
    )
    user = created.json()["data"]
    assert (await world.http.get(f"/v1/users/{user['id']}")).json() == {"data": user}
    assert (await world.http.get(f"/api/v1/users/{user['id']}")).json() == {"data": user}
    again = await world.http.post(
        "/v1/users",
        json={"email": "ana@example.com", "name": "Ana"},
        headers={"idempotency-key": "one"},
    )
    assert again.headers["idempotent-replayed"] == "true"
    assert again.json() == created.json()
    assert (await world.client().get("/api/v1/users")).json()["error"]["code"] == "credential_missing"


async def test_every_answer_carries_its_id_and_the_limits(world: World) -> None:
    answers = [await world.http.get(path) for path in ("/v1/users", "/v1/users/7", "/v1/nothing")]
    answers.append(await world.client().get("/v1/users"))
    ids = [answer.headers["x-request-id"] for answer in answers]
    assert all(id.startswith("req_") and len(id) == 30 for id in ids)
    assert len(set(ids)) == len(ids)
    for answer in answers:
        for name in ("limit", "remaining", "reset"):
            assert int(answer.headers[f"x-ratelimit-{name}"]) == int(answer.headers[f"ratelimit-{name}"])
