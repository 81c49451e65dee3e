"""/learn/calendar/subscribe and /calendar/{token}.ics: due dates in a person's own calendar program."""

import json
import re
import threading
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import httpx2
import pytest
from icalendar import Calendar

from conftest import World
from training.certificates.holders import completed, reissue, revoke
from training.classes.classes import offer
from training.learning_paths.following import assign, path
from trilha import app as trilha_app
from trilha.core import logs
from trilha.core.clock import Clock
from trilha.core.database import Database
from trilha.core.types import Timestamp
from trilha.settings import Settings
from trilha.training.calendar_feeds import events
from trilha.training.classes.invitations.rules import build_uid
from trilha.web.learn.calendar import feed
from trilha.web.learn.calendar.icalendar_format import build_calendar
from web.learn.signing_in import learner, send
from web.learn.test_courses import enrolled

HOME = "/learn/calendar/subscribe"


async def subscribe(client: httpx2.AsyncClient, kind: str = "own") -> str:
    """Creates the address. Returns its path."""
    page = await send(client, HOME, "", kind=kind)
    assert page.status_code == 200, page.text
    assert page.headers["cache-control"] == "no-store"
    found = re.search(r'value="http[^"]*(/calendar/[\w-]{43}\.ics)"', page.text)
    assert found
    assert 'href="webcal://' in page.text
    return found[1]


async def read(client: httpx2.AsyncClient, address: str) -> list[Any]:
    answer = await client.get(address)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "text/calendar; charset=utf-8"
    calendar = Calendar.from_ical(answer.content)
    assert not calendar.errors
    return list(calendar.events)


def day_of(world: World, days: int) -> str:
    return (
        (world.clock.now + timedelta(days=days)).astimezone(ZoneInfo("America/Sao_Paulo")).date().isoformat()
    )


def days(listed: list[Any]) -> list[tuple[str, str]]:
    return [(str(each["summary"]), each["dtstart"].dt.isoformat()) for each in listed]


async def test_what_is_due_and_what_expires(world: World) -> None:
    user, client = await learner(world)
    owner = UUID(user["id"])
    brakes = await enrolled(world, user["id"], "Brakes, and more; with all", 10)
    await enrolled(world, user["id"], "Whenever")
    course = await world.course(title="Altura")
    async with world.tx() as tx:
        await tx.execute(
            "UPDATE courses SET certificate_validity_months = 12 WHERE tenant_id = :tenant AND id = :id",
            id=course,
        )
    certificate = await completed(
        world, enrollment=await world.enrollment(user_id=user["id"], course_id=course)
    )
    path_id = await path(world, await world.course(title="Fog"), deadline_days=20)
    await assign(world, path_id, owner)
    address = await subscribe(client)
    listed = await read(world.client(), address)
    shown = days(listed)
    assert shown[0] == ("Prazo: Brakes, and more; with all", day_of(world, 10))
    assert shown[1] == ("Prazo da trilha: Motoristas novos", day_of(world, 20))
    assert shown[2][0] == "Vencimento do certificado: Altura"
    assert len(shown) == 3
    assert [str(each["uid"]) for each in listed] == [
        *(f"{brakes}-due@trilha", f"{path_id}-{owner}-due@trilha", f"{certificate}-expiry@trilha")
    ]
    assert str(listed[0]["url"]).endswith(f"/learn/enrollments/{brakes}")

    # What is no longer valid is no longer there.
    await revoke(world, certificate)
    assert len(await read(world.client(), address)) == 2


async def test_a_replaced_certificate_is_shown_once(world: World) -> None:
    user, client = await learner(world)
    course = await world.course(title="Altura")
    async with world.tx() as tx:
        await tx.execute(
            "UPDATE courses SET certificate_validity_months = 12 WHERE tenant_id = :tenant AND id = :id",
            id=course,
        )
    first = await completed(world, enrollment=await world.enrollment(user_id=user["id"], course_id=course))
    await reissue(world, first)
    (event,) = await read(world.client(), await subscribe(client))
    assert first.hex not in str(event["uid"]).replace("-", "")


async def test_the_texts_are_in_the_persons_language(world: World) -> None:
    user, client = await learner(world)
    await enrolled(world, user["id"], "Fogo", 10)
    address = await subscribe(client)
    answer = await world.client().get(address, headers={"accept-language": "en"})
    assert "SUMMARY:Prazo: Fogo" in answer.text
    assert "X-WR-CALNAME:Treinamentos: " in answer.text


async def test_an_unchanged_calendar_is_not_sent_again(world: World) -> None:
    user, client = await learner(world)
    await enrolled(world, user["id"], "Fogo", 10)
    address = await subscribe(client)
    first = await client.get(address)
    assert first.headers["cache-control"] == "private"
    assert first.headers["x-robots-tag"] == "noindex, nofollow"
    again = await client.get(address, headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    await enrolled(world, user["id"], "Altura", 11)
    changed = await client.get(address, headers={"if-none-match": first.headers["etag"]})
    assert changed.status_code == 200


async def test_the_address_is_replaced_and_removed(world: World) -> None:
    _, client = await learner(world)
    assert "Create calendar address" in (await client.get(HOME)).text
    first = await subscribe(client)
    page = (await client.get(HOME)).text
    assert "Your calendar is active" in page
    assert first not in page
    second = await subscribe(client)
    reader = world.client()
    assert (await reader.get(first)).status_code == 404
    assert (await reader.get(second)).status_code == 200
    removed = await send(client, HOME, f"{HOME}/remove")
    assert removed.headers["location"] == HOME
    assert (await reader.get(second)).status_code == 404
    for wrong in ("/calendar/x.ics", f"/calendar/{'A' * 43}.ics", second.removesuffix(".ics"), "/calendar"):
        assert (await reader.get(wrong)).status_code == 404


async def test_only_the_hash_of_the_token_is_stored(world: World) -> None:
    _, client = await learner(world)
    token = (await subscribe(client)).removeprefix("/calendar/").removesuffix(".ics")
    async with world.tx() as tx:
        (row,) = await tx.rows("SELECT * FROM calendar_feeds WHERE tenant_id = :tenant")
    assert token not in repr(dict(row))
    assert token.encode() not in row["digest"]


async def test_a_suspended_person_and_company_have_no_calendar(world: World) -> None:
    user, client = await learner(world)
    address = await subscribe(client)
    reader = world.client()
    assert (await world.http.post(f"/v1/users/{user['id']}/suspend")).is_success
    assert (await reader.get(address)).status_code == 404
    assert (await world.http.post(f"/v1/users/{user['id']}/reactivate")).is_success
    assert (await reader.get(address)).status_code == 200


async def test_another_persons_dates_are_not_in_it(world: World, stranger: World) -> None:
    user, client = await learner(world)
    await enrolled(world, str((await world.user())["id"]), "Of a colleague", 10)
    address = await subscribe(client)
    other, their_client = await learner(stranger)
    await enrolled(stranger, other["id"], "Of another company", 10)
    theirs = await subscribe(their_client)
    assert await read(world.client(), address) == []
    assert [title for title, _ in days(await read(world.client(), theirs))] == ["Prazo: Of another company"]
    del user


async def test_the_number_of_events_has_a_limit(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    user, client = await learner(world)
    for number in range(4):
        await enrolled(world, user["id"], f"Curso {number}", 10 - number)
    monkeypatch.setattr(events, "MAX_EVENTS", 3)
    shown = days(await read(world.client(), await subscribe(client)))
    assert [title for title, _ in shown] == ["Prazo: Curso 3", "Prazo: Curso 2", "Prazo: Curso 1"]


async def test_days_are_those_of_the_companys_time_zone(world: World) -> None:
    user, client = await learner(world)
    course = await world.course(title="Fogo")
    # 23:30 of the day before in São Paulo.
    due = datetime.fromisoformat("2099-03-05T02:30:00+00:00")
    await world.enrollment(user_id=user["id"], course_id=course, expires_at=Timestamp.of(due))
    ((_, day),) = days(await read(world.client(), await subscribe(client)))
    assert day == "2099-03-04"


async def test_the_token_is_in_no_log(world: World, capfd: pytest.CaptureFixture[str]) -> None:
    _, client = await learner(world)
    address = await subscribe(client)
    logs.configure("json")
    capfd.readouterr()
    answer = await world.client().get(address)
    said = capfd.readouterr().err
    lines = [json.loads(line) for line in said.splitlines()]
    assert any(line.get("request_id") == answer.headers["x-request-id"] for line in lines)
    assert address.removeprefix("/calendar/").removesuffix(".ics") not in said


async def test_requests_are_counted_by_address_and_by_feed(
    world: World, settings: Settings, database: Database, clock: Clock
) -> None:
    _, client = await learner(world)
    address = await subscribe(client)
    app = trilha_app.create_app(settings, database, clock)
    from_one = [world.client(app=app, address=f"203.0.113.{number}") for number in range(61)]
    statuses = [(await each.get(address)).status_code for each in from_one]
    assert statuses == [200] * 60 + [429]


async def test_a_calendar_is_built_beside_the_event_loop(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[threading.Thread] = []

    def build(*arguments: Any) -> bytes:
        threads.append(threading.current_thread())
        return build_calendar(*arguments)

    monkeypatch.setattr(feed, "build_calendar", build)
    _, client = await learner(world)
    await read(world.client(), await subscribe(client))
    assert threads
    assert threading.current_thread() not in threads


async def test_sessions_of_who_attends_and_who_teaches(world: World) -> None:
    user, client = await learner(world)
    teacher, their_client = await learner(world)
    classes = await offer(world)
    zone = {"time_zone": "America/New_York"}
    times = {"starts_at": "2099-03-07T15:00:00Z", "ends_at": "2099-03-07T18:00:00Z"}
    link = {"meeting_url": "https://meet.example.com/x", "instructor_ids": [teacher["id"]]}
    made = await classes.create(times | zone | link, classes.session(30, room="Sala 3"), maximum_people=1)
    await classes.register(made, user["id"])
    waiting, waiting_client = await learner(world)
    await classes.register(made, waiting["id"])
    address = await subscribe(client)
    first, second = await read(world.client(), address)
    assert str(first["location"]) == "Sala 3"
    assert str(second["url"]) == "https://meet.example.com/x"
    assert second["dtstart"].dt == datetime.fromisoformat(times["starts_at"])
    assert second["dtstart"].params["TZID"] == "America/New_York"
    assert str(second["uid"]) == build_uid(UUID(made["sessions"][-1]["id"]), UUID(user["id"]))
    assert int(second["sequence"]) == 0
    (taught,) = await read(world.client(), await subscribe(their_client))
    assert taught["dtstart"].dt == second["dtstart"].dt
    assert await read(world.client(), await subscribe(waiting_client)) == []
    # What is cancelled is no longer there, and what moves has moved.
    session = made["sessions"][-1]["id"]
    answer = await world.http.patch(f"/v1/sessions/{session}", json={"room": "Sala 4"})
    assert answer.status_code == 200
    _, changed = await read(world.client(), address)
    assert (str(changed["location"]), int(changed["sequence"])) == ("Sala 4", 1)
    await classes.post(f"sessions/{session}/cancel", reason="Chuva")
    assert len(await read(world.client(), address)) == 1


async def test_administrators_subscribe_to_all_classes(world: World, stranger: World) -> None:
    user, client = await learner(world)
    refused = await send(client, HOME, "", kind="company")
    assert refused.status_code == 403
    assert "All classes of the company" not in (await client.get(HOME)).text
    await world.promote(user["id"], "admin")
    classes = await offer(world)
    made = await classes.create(classes.session(30), classes.session(50))
    theirs = await offer(stranger)
    await theirs.create()
    assert "All classes of the company" in (await client.get(HOME)).text
    address = await subscribe(client, "company")
    listed = await read(world.client(), address)
    assert [str(each["uid"]) for each in listed] == [f"{each['id']}@trilha" for each in made["sessions"]]
    # Both addresses work, and each is removed on its own.
    own = await subscribe(client)
    assert await read(world.client(), own) == []
    await send(client, HOME, f"{HOME}/remove", kind="own")
    assert (await world.client().get(own)).status_code == 404
    assert len(await read(world.client(), address)) == 2
    other = await world.user()
    await world.promote(other["id"], "admin")
    await world.promote(user["id"], "learner")
    assert (await world.client().get(address)).status_code == 404
