"""Lists: pages, cursors, filters, and refused query parameters."""

import pytest
from msgspec import Struct

from conftest import World
from known import known_ids
from trilha.app import all_routes
from trilha.core.web.pagination import ListQuery
from trilha.people.users.schema import User
from trilha.training.enrollments.schema import Enrollment

PAGED = [route for route in all_routes() if route.method == "GET" and issubclass(route.query, ListQuery)]


async def addresses(world: World) -> dict[str, str]:
    """Returns every list's path with existing ids, by its template."""
    known = await known_ids(world)
    return {route.path: "/v1" + route.path.format(**known) for route in PAGED}


@pytest.mark.parametrize("path", [route.path for route in PAGED])
async def test_every_list_has_pages_of_1_to_100(world: World, path: str) -> None:
    address = (await addresses(world))[path]
    answer = (await world.http.get(address)).json()
    assert list(answer) == ["data", "next_cursor", "has_more", "limit"]
    assert answer["limit"] == 20
    assert answer["has_more"] == (answer["next_cursor"] is not None) == (len(answer["data"]) == 20)
    for limit in (1, 100):
        assert (await world.http.get(f"{address}?limit={limit}")).json()["limit"] == limit
    for wrong, code in (
        ("0", "out_of_range"),
        ("101", "out_of_range"),
        ("-1", "out_of_range"),
        ("9" * 30, "out_of_range"),
        ("1.5", "invalid_type"),
        ("many", "invalid_type"),
        ("", "invalid_type"),
        ("null", "invalid_type"),
    ):
        refused = await world.http.get(f"{address}?limit={wrong}")
        error = refused.json()["error"]
        assert (refused.status_code, error["field"]) == (400, "limit")
        assert error["code"] in (code, "invalid_type"), wrong


@pytest.mark.parametrize("path", [route.path for route in PAGED])
async def test_every_list_refuses_what_it_does_not_know(world: World, path: str) -> None:
    address = (await addresses(world))[path]
    refused = await world.http.get(f"{address}?limt=5&limit=1&limit=2&cursor=abc")
    assert refused.status_code == 400
    assert [(each["field"], each["code"]) for each in refused.json()["error"]["detail"]] == [
        ("limt", "unknown_parameter"),
        ("limit", "duplicate_parameter"),
    ]
    assert (await world.http.get(f"{address}?cursor=abc")).json()["error"]["code"] == "invalid_cursor"
    assert (await world.http.get(f"{address}?limit=%ff")).json()["error"]["code"] == "invalid_text"


async def test_one_resource_takes_no_parameter_of_a_list(world: World) -> None:
    course = await world.course()
    error = (await world.http.get(f"/v1/courses/{course}?limit=5")).json()["error"]
    assert (error["field"], error["code"]) == ("limit", "unknown_parameter")
    answer = await world.http.post("/v1/users?dry_run=1", json={"email": "a@example.com", "name": "A"})
    assert answer.json()["error"]["code"] == "unknown_parameter"
    assert (await world.http.get("/v1/users")).json()["data"] == []


async def test_pages_join_without_gap_or_overlap(world: World) -> None:
    made = []
    for _ in range(5):
        made.append((await world.user())["id"])
        world.clock.move(milliseconds=1)
    first = (await world.http.get("/v1/users?limit=2")).json()
    second = (await world.http.get(f"/v1/users?limit=2&cursor={first['next_cursor']}")).json()
    third = (await world.http.get(f"/v1/users?limit=2&cursor={second['next_cursor']}")).json()
    seen = [user["id"] for page in (first, second, third) for user in page["data"]]
    assert seen == made[::-1]
    assert [page["has_more"] for page in (first, second, third)] == [True, True, False]
    assert third["next_cursor"] is None


async def test_rows_of_one_moment_are_told_apart(world: World) -> None:
    made = {(await world.user())["id"] for _ in range(5)}
    seen, cursor = [], ""
    while True:
        page = (await world.http.get(f"/v1/users?limit=1{cursor}")).json()
        seen += [user["id"] for user in page["data"]]
        if not page["has_more"]:
            break
        cursor = f"&cursor={page['next_cursor']}"
    assert len(seen) == 5
    assert set(seen) == made


async def test_a_cursor_fits_its_own_list_alone(world: World) -> None:
    for _ in range(2):
        await world.enrollment()
    user = (await world.http.get("/v1/users")).json()["data"][0]["id"]
    cursor = (await world.http.get("/v1/users?limit=1")).json()["next_cursor"]
    assert (await world.http.get(f"/v1/users?cursor={cursor}")).status_code == 200
    # The page size and the selected members may change.
    assert (await world.http.get(f"/v1/users?cursor={cursor}&limit=7&fields=name")).status_code == 200
    for other in (
        f"/v1/users?status=ACTIVE&cursor={cursor}",
        f"/v1/users?updated_since=2020-01-01T00:00:00Z&cursor={cursor}",
        f"/v1/enrollments?cursor={cursor}",
        f"/v1/courses?cursor={cursor}",
        f"/v1/users/{user}/enrollments?cursor={cursor}",
        f"/v1/users/{user}/certificates?cursor={cursor}",
    ):
        error = (await world.http.get(other)).json()["error"]
        assert (error["field"], error["code"]) == ("cursor", "invalid_cursor"), other


async def test_a_cursor_is_good_to_the_letter(world: World) -> None:
    for _ in range(2):
        await world.user()
    cursor = (await world.http.get("/v1/users?limit=1")).json()["next_cursor"]
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    forged = {cursor[:-1] + letter for letter in letters} | {letter + cursor[1:] for letter in letters}
    forged |= {cursor[:-1], cursor + "A", cursor + "=", cursor + "!", " " + cursor, "", "%C3%A9", cursor * 2}
    for each in forged - {cursor}:
        answer = await world.http.get("/v1/users", params={"cursor": each})
        assert answer.status_code == 400, each
        assert answer.json()["error"]["code"] == "invalid_cursor"


async def test_updated_since_follows_change_oldest_first(world: World) -> None:
    first, second, third = [(await world.user())["id"] for _ in range(3)]
    world.clock.move(seconds=10)
    since = world.clock.now.strftime("%Y-%m-%dT%H:%M:%S.000Z")
    await world.http.patch(f"/v1/users/{second}", json={"name": "Changed"})
    world.clock.move(seconds=10)
    await world.http.post(f"/v1/users/{first}/suspend")
    changed = (await world.http.get(f"/v1/users?updated_since={since}")).json()["data"]
    assert [user["id"] for user in changed] == [second, first]  # the bound itself is included
    # The same moment in another time zone.
    other = world.clock.now.strftime("%Y-%m-%dT%H:%M:%S%%2B00:00")
    changed = (await world.http.get(f"/v1/users?updated_since={other}")).json()["data"]
    assert [user["id"] for user in changed] == [first]
    page = (await world.http.get(f"/v1/users?updated_since={since}&limit=1")).json()
    rest = await world.http.get(f"/v1/users?updated_since={since}&limit=1&cursor={page['next_cursor']}")
    assert [user["id"] for user in rest.json()["data"]] == [first]
    assert third not in {user["id"] for user in changed}


@pytest.mark.parametrize(
    "moment", ["2026-01-01", "2026-01-01T00:00:00", "1700000000", "yesterday", "null", ""]
)
async def test_updated_since_takes_a_moment_with_its_offset(world: World, moment: str) -> None:
    error = (await world.http.get(f"/v1/users?updated_since={moment}")).json()["error"]
    assert (error["field"], error["code"]) == ("updated_since", "invalid_date_time")


@pytest.mark.parametrize(("path", "kind"), [("/v1/users", User), ("/v1/enrollments", Enrollment)])
async def test_fields_leaves_the_named_members_and_the_id(
    world: World, path: str, kind: type[Struct]
) -> None:
    enrollment = await world.enrollment()
    id = enrollment["id"] if path == "/v1/enrollments" else enrollment["user_id"]
    (shown,) = (await world.http.get(f"{path}?fields=status,created_at")).json()["data"]
    assert set(shown) == {"id", "status", "created_at"}
    one = (await world.http.get(f"{path}/{id}?fields=status")).json()["data"]
    assert one == {"id": id, "status": shown["status"]}
    whole = (await world.http.get(f"{path}/{id}?fields={','.join(kind.__struct_fields__)}")).json()["data"]
    assert whole == (await world.http.get(f"{path}/{id}")).json()["data"]
    for unknown in ("name,passwort", "password_hash", "ID", "null", "tenant_id", "*"):
        for address in (path, f"{path}/{id}"):
            error = (await world.http.get(f"{address}?fields={unknown}")).json()["error"]
            assert (error["field"], error["code"]) == ("fields", "invalid_value")
