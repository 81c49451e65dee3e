"""Links of video calls that services make for sessions."""

import asyncio
from collections.abc import AsyncIterator
from datetime import datetime
from typing import Any
from uuid import UUID

import pytest

from conftest import World
from training.classes.classes import Classes, offer
from training.classes.inbox import Inbox
from training.meetings.doubles import CREDENTIALS, LINKS, ORGANIZER, Doubles, running_doubles
from trilha.core.errors import BusinessRule
from trilha.core.outbound.fetching import Fetcher
from trilha.core.outbound.guard import Guard
from trilha.training.meetings import actions, queries
from trilha.training.meetings.jobs import MakeLinks
from trilha.training.meetings.rules import DELAYS
from trilha.training.meetings.schema import KINDS, Credentials, FailedRequest, ServiceKind
from trilha.training.meetings.video_calls import Addresses, MeetingServices


@pytest.fixture
async def doubles() -> AsyncIterator[Doubles]:
    async with running_doubles() as running:
        yield running


async def set_up(world: World, kind: ServiceKind, credentials: Credentials | None = None) -> None:
    async with world.tx() as tx:
        await actions.set_up(tx, kind, ORGANIZER, credentials or CREDENTIALS[kind])


async def ask(world: World, session_id: str, kind: ServiceKind) -> None:
    async with world.tx() as tx:
        await actions.request_link(tx, UUID(session_id), kind)


async def make(world: World, services: MeetingServices) -> int:
    return await MakeLinks(services).run_in(world.database, world.tenant.id)


async def read(world: World, session_id: str) -> dict[str, Any]:
    data: dict[str, Any] = (await world.http.get(f"/v1/sessions/{session_id}")).json()["data"]
    return data


async def list_failed(world: World) -> list[FailedRequest]:
    async with world.tx() as tx:
        return await queries.list_failed(tx, 10)


async def begin(world: World) -> tuple[Classes, str]:
    classes = await offer(world)
    made = await classes.create()
    return classes, made["sessions"][0]["id"]


@pytest.mark.parametrize("kind", KINDS)
async def test_a_service_makes_the_link(world: World, doubles: Doubles, kind: ServiceKind) -> None:
    classes, session = await begin(world)
    inbox = Inbox(world)
    await classes.register({"id": (await read(world, session))["class_id"]})
    assert [each.told for each in await inbox.take()] == [("REQUEST", 0)]
    await set_up(world, kind)
    await ask(world, session, kind)
    assert await make(world, doubles.services) == 1
    assert (await read(world, session))["meeting_url"] == LINKS[kind]
    (meeting,) = await inbox.take()
    assert (meeting.told, str(meeting.event["URL"])) == (("REQUEST", 1), LINKS[kind])
    assert await make(world, doubles.services) == 0
    ((called, body),) = doubles.calls
    assert called == kind
    times = {"google_meet": (), "teams": ("startDateTime", "endDateTime"), "zoom": ("start_time",)}[kind]
    starts_at = datetime.fromisoformat((await read(world, session))["starts_at"])
    assert [datetime.fromisoformat(body[name]) for name in times[:1]] == [starts_at][: len(times)]
    if kind == "zoom":
        assert (body["duration"], body["type"], body["topic"]) == (240, 2, "Turma 1")
    if kind == "teams":
        assert (body["externalId"], body["subject"]) == (session, "Turma 1")


@pytest.mark.parametrize("kind", KINDS)
async def test_refused_credentials_are_told_at_once(
    world: World, doubles: Doubles, kind: ServiceKind
) -> None:
    _, session = await begin(world)
    right = CREDENTIALS[kind]
    wrong = Credentials(right.account, f"other-{right.client_id}", right.secret)
    await set_up(world, kind, wrong)
    await ask(world, session, kind)
    assert await make(world, doubles.services) == 1
    (failed,) = await list_failed(world)
    assert (str(failed.session_id), failed.status, failed.error) == (session, "FAILED", "refused")
    async with world.tx() as tx:
        service = await queries.find_service(tx, kind)
    assert service is not None
    assert service.error == "refused"
    assert doubles.calls == []
    # Once the credentials are right, the session asks again.
    await set_up(world, kind)
    await ask(world, session, kind)
    await make(world, doubles.services)
    assert (await read(world, session))["meeting_url"] == LINKS[kind]
    assert await list_failed(world) == []


@pytest.mark.parametrize(
    ("status", "body", "reason", "is_final"),
    [
        (500, None, "unavailable", False),
        (429, None, "busy", False),
        (403, None, "not_permitted", True),
        (404, None, "organizer_unknown", True),
        (302, None, "invalid_response", False),
        (None, b"not json", "invalid_response", False),
        (None, b"[1]", "invalid_response", False),
        (None, b"{}", "invalid_response", False),
        (None, b'{"join_url": "http://zoom.us/j/1"}', "invalid_response", False),
        (None, b'{"join_url": "https://u:p@zoom.us/"}', "invalid_response", False),
        (None, b'{"join_url": 5}', "invalid_response", False),
        (None, b" " * (2 << 20), "invalid_response", False),
    ],
)
async def test_failures(
    world: World, doubles: Doubles, status: int | None, body: bytes | None, reason: str, is_final: bool
) -> None:
    _, session = await begin(world)
    await set_up(world, "zoom")
    await ask(world, session, "zoom")
    doubles.failure, doubles.body = status, body
    await make(world, doubles.services)
    (failed,) = await list_failed(world)
    assert (failed.error, failed.status) == (reason, "FAILED" if is_final else "PENDING")
    assert (await read(world, session))["meeting_url"] is None


async def test_a_failed_request_is_tried_again_and_given_up(world: World, doubles: Doubles) -> None:
    _, session = await begin(world)
    await set_up(world, "zoom")
    await ask(world, session, "zoom")
    doubles.failure = 503
    for delay in DELAYS:
        assert await make(world, doubles.services) == 1
        assert await make(world, doubles.services) == 0
        world.clock.now += delay
    assert await make(world, doubles.services) == 1
    (failed,) = await list_failed(world)
    assert failed.status == "FAILED"
    assert len(doubles.calls) == len(DELAYS) + 1
    world.clock.move(days=30)
    assert await make(world, doubles.services) == 0


async def test_a_dead_worker_leaves_the_request_to_another_one(world: World, doubles: Doubles) -> None:
    _, session = await begin(world)
    await set_up(world, "teams")
    await ask(world, session, "teams")
    async with world.tx() as tx:
        assert len(await actions.claim_due(tx)) == 1
    assert await make(world, doubles.services) == 0
    world.clock.move(seconds=61)
    assert await make(world, doubles.services) == 1
    assert (await read(world, session))["meeting_url"] == LINKS["teams"]


async def test_what_happens_meanwhile_wins(world: World, doubles: Doubles) -> None:
    classes = await offer(world)
    made = await classes.create(classes.session(24), classes.session(48), classes.session(72))
    typed, cancelled, removed = (each["id"] for each in made["sessions"])
    await set_up(world, "zoom")
    for each in (typed, cancelled):
        await ask(world, each, "zoom")
    link = {"meeting_url": "https://meet.example.com/own"}
    await world.http.patch(f"/v1/sessions/{typed}", json=link)
    await classes.post(f"sessions/{cancelled}/cancel", reason="Chuva")
    assert await make(world, doubles.services) == 2
    assert doubles.calls == []
    assert (await read(world, typed))["meeting_url"] == link["meeting_url"]
    assert await list_failed(world) == []
    await ask(world, removed, "zoom")
    async with world.tx() as tx:
        await actions.remove(tx, "zoom")
    await make(world, doubles.services)
    (failed,) = await list_failed(world)
    assert failed.error == "service_missing"


async def test_refusals(world: World, stranger: World) -> None:
    classes, session = await begin(world)
    with pytest.raises(BusinessRule, match="meeting_service_missing"):
        await ask(world, session, "zoom")
    await set_up(stranger, "zoom")
    with pytest.raises(BusinessRule, match="meeting_service_missing"):
        await ask(world, session, "zoom")
    await set_up(world, "zoom")
    await world.http.patch(f"/v1/sessions/{session}", json={"meeting_url": "https://meet.example.com/own"})
    with pytest.raises(BusinessRule, match="meeting_link_exists"):
        await ask(world, session, "zoom")
    await classes.post(f"sessions/{session}/cancel", reason="Chuva")
    with pytest.raises(BusinessRule, match="session_cancelled"):
        await ask(world, session, "zoom")


async def test_the_guard_is_asked(world: World) -> None:
    _, session = await begin(world)
    await set_up(world, "zoom")
    await ask(world, session, "zoom")
    addresses = Addresses(zoom_token="https://127.0.0.1:9/token")
    await make(world, MeetingServices(Fetcher(Guard()), addresses))
    (failed,) = await list_failed(world)
    assert (failed.status, failed.error) == ("FAILED", "address_not_allowed")


async def test_credentials_are_sealed(world: World) -> None:
    await set_up(world, "zoom")
    async with world.tx() as tx:
        (row,) = await tx.rows("SELECT * FROM meeting_services WHERE tenant_id = :tenant")
        opened = await actions.open_service(tx, "zoom")
    assert b"s3cret" not in bytes(row["credentials"])
    assert opened is not None
    assert "s3cret" not in repr(opened)
    assert opened.credentials == CREDENTIALS["zoom"]


async def test_many_workers_make_each_link_once(world: World, doubles: Doubles) -> None:
    classes = await offer(world)
    made = await classes.create(*(classes.session(24 * number) for number in range(1, 9)))
    await set_up(world, "zoom")
    for each in made["sessions"]:
        await ask(world, each["id"], "zoom")
    await asyncio.gather(*(make(world, doubles.services) for _ in range(4)))
    assert len(doubles.calls) == 8
    assert {each["meeting_url"] for each in (await classes.read(made))["sessions"]} == {LINKS["zoom"]}
