"""GET /v1/events"""

import json
from collections.abc import Sequence
from typing import Any
from uuid import UUID

import pytest
from jsonschema import Draft202012Validator, FormatChecker

from conftest import CPF, World
from trilha.core.credentials import Scope
from trilha.platform.events.schema import envelope_bytes, parse_event_name
from trilha.training.enrollments import actions as enrollments


async def feed(world: World, **query: Any) -> list[dict[str, Any]]:
    answer = await world.http.get("/v1/events", params={"limit": 100} | query)
    assert answer.status_code == 200, answer.text
    shown: list[dict[str, Any]] = answer.json()["data"]
    return shown


def types(events: Sequence[dict[str, Any]]) -> list[str]:
    return [event["type"] for event in events]


def moment(world: World) -> str:
    return world.clock.now.isoformat()


async def test_shows_the_envelope_and_nothing_besides(world: World) -> None:
    user = await world.user(cpf=CPF)
    (event,) = await feed(world, type="user.created")
    async with world.tx() as tx:
        id = await tx.value("SELECT id FROM events WHERE tenant_id = :tenant AND type = 'user.created'")
    assert event == {
        "id": f"evt_{id.hex}",
        "type": "user.created",
        "created": int(world.clock.now.timestamp()),
        "version": "2026-11",
        "tenant_id": str(world.tenant.id),
        "data": {"user_id": user["id"], "role": "learner", "status": "ACTIVE"},
    }
    assert list(event) == ["id", "type", "created", "version", "tenant_id", "data"]


async def test_shows_what_a_delivery_sends(world: World) -> None:
    await world.enrollment()
    async with world.tx() as tx:
        rows = await tx.rows("SELECT id, type, created_at, data FROM events WHERE tenant_id = :tenant")
    sent = {
        row["id"]: json.loads(
            envelope_bytes(row["id"], row["type"], row["created_at"], world.tenant.id, row["data"])
        )
        for row in rows
    }
    assert {parse_event_name(event["id"]): event for event in await feed(world)} == sent


async def test_walks_pages_newest_first(world: World) -> None:
    """Including several events at the same moment."""
    for _ in range(3):
        for _ in range(3):
            await world.user()
        world.clock.move(seconds=1)
    seen: list[dict[str, Any]] = []
    query: dict[str, Any] = {"limit": 2, "type": "user.created"}
    while True:
        page = (await world.http.get("/v1/events", params=query)).json()
        assert page["limit"] == 2
        assert len(page["data"]) == (2 if page["has_more"] else 1)
        seen += page["data"]
        if not page["has_more"]:
            assert page["next_cursor"] is None
            break
        query["cursor"] = page["next_cursor"]
    assert len({event["id"] for event in seen}) == len(seen) == 9
    assert [event["created"] for event in seen] == sorted((e["created"] for e in seen), reverse=True)
    assert seen == await feed(world, type="user.created")


async def test_keeps_one_type(world: World) -> None:
    await world.enrollment()
    assert set(types(await feed(world))) == {
        "api_key.created",
        "user.created",
        "course.created",
        "course.updated",
        "enrollment.created",
    }
    for name in ("enrollment.created", "course.updated"):
        assert types(await feed(world, type=name)) == [name]
    assert await feed(world, type="certificate.issued") == []


async def test_keeps_what_was_created_since(world: World) -> None:
    await world.user()
    world.clock.move(seconds=10)
    bound = moment(world)
    user = await world.user()
    world.clock.move(seconds=10)
    await world.http.post(f"/v1/users/{user['id']}/suspend")
    # the bound is included
    assert types(await feed(world, since=bound)) == ["user.suspended", "user.created"]
    assert types(await feed(world, since=bound, type="user.created")) == ["user.created"]
    assert await feed(world, since=moment(world), type="user.created") == []
    # The same moment in another time zone.
    shifted = bound.replace("+00:00", "Z")
    assert await feed(world, since=shifted) == await feed(world, since=bound)


async def test_shows_thirty_days(world: World) -> None:
    await world.user()
    first = await feed(world)
    world.clock.move(days=30)
    assert await feed(world) == first  # to the second
    world.clock.move(seconds=1)
    assert await feed(world) == []
    await world.user()
    assert types(await feed(world, since="2001-01-01T00:00:00Z")) == ["user.created"]


async def test_a_page_begun_before_goes_on_when_days_run_out(world: World) -> None:
    for _ in range(3):
        await world.user()
    page = (await world.http.get("/v1/events?limit=1")).json()
    world.clock.move(days=31)
    rest = await world.http.get(f"/v1/events?cursor={page['next_cursor']}")
    assert rest.json() == {"data": [], "next_cursor": None, "has_more": False, "limit": 20}


async def test_another_tenants_events_are_not_there(world: World, stranger: World) -> None:
    await stranger.user()
    await world.user()
    theirs, mine = await feed(stranger), await feed(world)
    assert {event["tenant_id"] for event in mine} == {str(world.tenant.id)}
    assert not {event["id"] for event in mine} & {event["id"] for event in theirs}
    cursor = (await stranger.http.get("/v1/events?limit=1")).json()["next_cursor"]
    error = (await world.http.get(f"/v1/events?cursor={cursor}")).json()["error"]
    assert (error["field"], error["code"]) == ("cursor", "invalid_cursor")


async def test_a_cursor_belongs_to_its_filters(world: World) -> None:
    for _ in range(2):
        await world.user()
    cursor = (await world.http.get("/v1/events?limit=1")).json()["next_cursor"]
    for other in ("type=user.created", "since=2020-01-01T00:00:00Z"):
        answer = await world.http.get(f"/v1/events?{other}&cursor={cursor}")
        assert answer.json()["error"]["code"] == "invalid_cursor"


@pytest.mark.parametrize(
    ("query", "field", "code"),
    [
        ("type=user.renamed", "type", "invalid_value"),
        ("type=User.made", "type", "invalid_value"),
        ("type=user.created,user.updated", "type", "invalid_value"),
        ("type=null", "type", "invalid_value"),
        ("type=", "type", "invalid_value"),
        ("since=yesterday", "since", "invalid_date_time"),
        ("since=2026-11-21", "since", "invalid_date_time"),
        ("updated_since=2026-11-21T00:00:00Z", "updated_since", "unknown_parameter"),
        ("user_id=7", "user_id", "unknown_parameter"),
    ],
)
async def test_a_filter_it_does_not_know_is_refused(world: World, query: str, field: str, code: str) -> None:
    answer = await world.http.get(f"/v1/events?{query}")
    error = answer.json()["error"]
    assert (answer.status_code, error["field"], error["code"]) == (400, field, code)


async def test_asks_for_its_scope(world: World) -> None:
    every_other = [scope for scope in Scope if scope != Scope.WEBHOOKS_READ]
    refused = await world.client(await world.key(*every_other)).get("/v1/events")
    assert (refused.status_code, refused.json()["error"]["detail"]) == (
        403,
        {"required_scope": "webhooks:read"},
    )
    assert (await world.client(await world.key("webhooks:read")).get("/v1/events")).status_code == 200


async def test_everything_that_is_emitted_is_of_its_schema(world: World) -> None:
    """The Structs promise it. This checks the stored rows against the published schema."""
    enrollment = await world.enrollment(expires_at="2099-01-01T00:00:00Z")
    await world.http.patch(f"/v1/users/{enrollment['user_id']}", json={"name": "Ana Souza"})
    for verb in ("suspend", "reactivate"):
        await world.http.post(f"/v1/users/{enrollment['user_id']}/{verb}")
    async with world.tx() as tx:
        await enrollments.start(tx, UUID(enrollment["id"]))
        await enrollments.advance(tx, UUID(enrollment["id"]), 100.0, None)
        await enrollments.complete(tx, UUID(enrollment["id"]))
    told = (await world.http.get("/v1/webhooks/event-types?limit=100")).json()["data"]
    schemas = {each["type"]: each["schema"] for each in told}
    shown = await feed(world)
    assert len(set(types(shown))) >= 11
    for event in shown:
        check = Draft202012Validator(schemas[event["type"]], format_checker=FormatChecker())
        assert list(check.iter_errors(event["data"])) == []
        assert event["data"].keys() == schemas[event["type"]]["properties"].keys()
