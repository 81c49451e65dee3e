"""Invitations to sessions by iCalendar mail: who gets which, once, and what calendar programs make of it."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

import pytest

from conftest import World
from training.classes.classes import Classes, offer
from training.classes.inbox import JOB, Inbox
from trilha.app import PERSONAL_DATA
from trilha.training.classes import registering
from trilha.training.classes.invitations import rules


class Party:
    """People with names, and their inbox."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.ids: dict[str, str] = {}
        self.names: dict[str, str] = {}
        self.inbox = Inbox(world)

    async def invent(self, *names: str) -> None:
        for name in names:
            user = await self.world.user(email=f"{name}-{uuid4().hex[:6]}@example.com")
            self.ids[name], self.names[user["email"]] = user["id"], name

    async def take(self) -> dict[str, list[tuple[str, int]]]:
        return await self.inbox.take_by(self.names)


async def begin(world: World, *names: str) -> tuple[Classes, Party]:
    party = Party(world)
    await party.invent(*names)
    return await offer(world, title="Altura"), party


async def change(world: World, session: dict[str, Any], **members: Any) -> None:
    answer = await world.http.patch(f"/v1/sessions/{session['id']}", json=members)
    assert answer.status_code == 200, answer.text


async def test_an_invitation(world: World) -> None:
    classes, party = await begin(world, "ana")
    starts = {"starts_at": "2031-03-09T12:00:00Z", "ends_at": "2031-03-09T16:00:00Z"}
    room = {"time_zone": "America/Sao_Paulo", "room": "Sala 3; térreo, fundos"}
    made = await classes.create(starts | room | {"meeting_url": "https://meet.example.com/nr-35"})
    await classes.register(made, party.ids["ana"])
    (meeting,) = await party.inbox.take()
    assert meeting.told == ("REQUEST", 0)
    event = meeting.event
    assert event.start == datetime(2031, 3, 9, 9, tzinfo=ZoneInfo("America/Sao_Paulo"))
    assert event.end.astimezone(UTC) == datetime(2031, 3, 9, 16, tzinfo=UTC)
    assert str(event["SUMMARY"]) == "Turma 1"
    assert str(event["LOCATION"]) == "Sala 3; térreo, fundos"
    assert str(event["URL"]) == "https://meet.example.com/nr-35"
    assert "https://meet.example.com/nr-35" in str(event["DESCRIPTION"])
    assert str(event["STATUS"]) == "CONFIRMED"
    assert event["ATTENDEE"].params["CN"] == "Ana Lima"
    assert "domingo, 9 de março de 2031, 09:00 – 13:00 (horário de Brasília)" in meeting.text
    assert meeting.mail["Subject"] == "Convite: Turma 1, 09/03/2031 09:00"
    assert b"text/calendar; charset=utf-8; method=REQUEST" in party.inbox.sent[0].content
    assert await party.inbox.take() == []


async def test_every_change_is_told_once(world: World) -> None:
    classes, party = await begin(world, "ana", "bia")
    link = {"meeting_url": "https://meet.example.com/x"}
    made = await classes.create(classes.session(24, room="Sala 1", **link))
    (session,) = made["sessions"]
    await classes.register(made, party.ids["ana"])
    await change(world, session, room="Sala 2")
    await classes.register(made, party.ids["bia"])
    await change(world, session, **classes.session(48))
    # What changes nothing, or nothing that a calendar shows, is not told.
    await change(world, session, room="Sala 2")
    await change(world, session, instructor_ids=[party.ids["bia"]])
    await world.http.patch(f"/v1/classes/{made['id']}", json={"maximum_people": 11, "minimum_people": 1})
    meetings = await party.inbox.take()
    told = {name: [each.told for each in meetings if party.names[each.to] == name] for name in ("ana", "bia")}
    assert told == {
        "ana": [("REQUEST", 0), ("REQUEST", 1), ("REQUEST", 2)],
        "bia": [("REQUEST", 0), ("REQUEST", 1)],
    }
    ana = [each for each in meetings if party.names[each.to] == "ana"]
    assert len({each.uid for each in ana}) == 1
    assert len({each.uid for each in meetings}) == 2
    assert [str(each.event["LOCATION"]) for each in ana] == ["Sala 1", "Sala 2", "Sala 2"]
    assert {str(each.event["URL"]) for each in meetings} == {"https://meet.example.com/x"}
    assert ana[2].event.start == datetime.fromisoformat(classes.session(48)["starts_at"])
    await change(world, session, meeting_url=None)
    (one, _) = await party.inbox.take()
    assert one.told == ("REQUEST", 3)
    assert "URL" not in one.event
    assert "https://meet.example.com/x" not in one.raw


async def test_who_waits_is_invited_when_they_move_up(world: World) -> None:
    classes, party = await begin(world, "ana", "bia", "caio")
    made = await classes.create(maximum_people=1)
    ana, bia, _ = [await classes.register(made, party.ids[name]) for name in party.ids]
    assert await party.take() == {"ana": [("REQUEST", 0)]}
    await classes.unregister(ana, reason="Férias")
    assert await party.take() == {"ana": [("CANCEL", 1)], "bia": [("REQUEST", 0)]}
    # Registered again, at the end of the list.
    again = await classes.register(made, party.ids["ana"])
    await world.http.patch(f"/v1/classes/{made['id']}", json={"maximum_people": 2})
    assert await party.take() == {"caio": [("REQUEST", 0)]}
    await classes.unregister(bia)
    (meeting,) = [each for each in await party.inbox.take() if party.names[each.to] == "ana"]
    assert meeting.told == ("REQUEST", 2)
    assert meeting.uid == rules.build_uid(UUID(made["sessions"][0]["id"]), UUID(party.ids["ana"]))
    assert again["status"] == "WAITLISTED"


async def test_sessions_come_and_go(world: World) -> None:
    classes, party = await begin(world, "ana", "bia")
    made = await classes.create(classes.session(24), classes.session(48))
    for name in ("ana", "bia"):
        await classes.register(made, party.ids[name])
    assert await party.take() == {"ana": [("REQUEST", 0)] * 2, "bia": [("REQUEST", 0)] * 2}
    await classes.post(f"classes/{made['id']}/sessions", **classes.session(72))
    assert await party.take() == {"ana": [("REQUEST", 0)], "bia": [("REQUEST", 0)]}
    first = made["sessions"][0]
    await classes.post(f"sessions/{first['id']}/cancel", reason="O instrutor adoeceu.")
    meetings = await party.inbox.take()
    assert [each.told for each in meetings] == [("CANCEL", 1)] * 2
    assert {str(each.event["STATUS"]) for each in meetings} == {"CANCELLED"}
    assert {each.event.start for each in meetings} == {datetime.fromisoformat(first["starts_at"])}
    assert all("O instrutor adoeceu." in each.text for each in meetings)
    await classes.post(f"classes/{made['id']}/cancel", reason="Chuva")
    assert await party.take() == {"ana": [("CANCEL", 1)] * 2, "bia": [("CANCEL", 1)] * 2}
    await classes.post(f"classes/{made['id']}/cancel", reason="Chuva")
    assert await party.take() == {}


async def test_nobody_is_invited_to_what_is_over(world: World) -> None:
    classes, party = await begin(world, "ana", "bia")
    made = await classes.create(classes.session(-48), classes.session(-1), classes.session(24))
    over, _, ahead = made["sessions"]
    await classes.register(made, party.ids["ana"])
    meetings = await party.inbox.take()
    assert sorted(each.event.start for each in meetings) == [
        datetime.fromisoformat(each["starts_at"]) for each in made["sessions"][1:]
    ]
    await change(world, over, room="Sala 9")
    assert await party.take() == {}
    # Moved to a time that is to come, it is a new invitation; moved to one that is over, a change.
    await change(world, over, **classes.session(30))
    assert await party.take() == {"ana": [("REQUEST", 0)]}
    await change(world, ahead, **classes.session(-30))
    assert await party.take() == {"ana": [("REQUEST", 1)]}
    await change(world, ahead, room="Sala 8")
    assert await party.take() == {}
    world.clock.now += timedelta(days=3)
    await classes.post(f"classes/{made['id']}/cancel", reason="Chuva")
    assert await party.take() == {}


async def test_people_who_left_get_nothing(world: World) -> None:
    classes, party = await begin(world, "ana", "bia", "caio")
    made = await classes.create()
    for name in party.ids:
        await classes.register(made, party.ids[name])
    assert set(await party.take()) == {"ana", "bia", "caio"}
    await world.http.post(f"/v1/users/{party.ids['ana']}/suspend")
    async with world.tx() as tx:
        await PERSONAL_DATA.erase(tx, UUID(party.ids["bia"]))
    await change(world, made["sessions"][0], room="Sala 2")
    assert await party.take() == {"caio": [("REQUEST", 1)]}
    await world.http.post(f"/v1/users/{party.ids['ana']}/reactivate")
    await change(world, made["sessions"][0], room="Sala 3")
    assert await party.take() == {"ana": [("REQUEST", 1)], "caio": [("REQUEST", 2)]}


async def test_an_english_invitation(world: World) -> None:
    classes, party = await begin(world, "ana")
    async with world.tx() as tx:
        await tx.execute("UPDATE users SET locale = 'en' WHERE tenant_id = :tenant")
    times = {"starts_at": "2031-03-29T12:00:00Z", "ends_at": "2031-03-30T12:00:00Z"}
    made = await classes.create(times | {"time_zone": "Europe/Lisbon"})
    await classes.register(made, party.ids["ana"])
    (meeting,) = await party.inbox.take()
    assert meeting.mail["Subject"] == "Invitation: Turma 1, 2031-03-29 12:00"
    assert "Saturday, March 29, 2031" in meeting.text
    assert "Sunday, March 30, 2031" in meeting.text
    assert "LOCATION" not in meeting.event


@pytest.mark.parametrize(
    ("zone", "offsets"),
    [
        ("America/Sao_Paulo", (-3, -3)),
        ("Europe/Lisbon", (0, 1)),
        ("America/New_York", (-5, -4)),
        ("UTC", (0, 0)),
        ("Asia/Kolkata", (5.5, 5.5)),
    ],
)
async def test_times_over_a_clock_change(world: World, zone: str, offsets: tuple[float, float]) -> None:
    """The calendar itself says the offset before and after the change, without our time zone database."""
    classes, party = await begin(world, "ana")
    starts, ends = "2031-03-08T15:00:00.000Z", "2031-03-08T18:00:00.000Z"
    late = {"starts_at": "2031-04-08T15:00:00.000Z", "ends_at": "2031-04-08T18:00:00.000Z"}
    made = await classes.create(
        {"starts_at": starts, "ends_at": ends, "time_zone": zone}, late | {"time_zone": zone}
    )
    await classes.register(made, party.ids["ana"])
    meetings = sorted(await party.inbox.take(), key=lambda each: each.event.start)
    assert [each.event.start for each in meetings] == [
        datetime.fromisoformat(each) for each in (starts, late["starts_at"])
    ]
    for meeting, hours in zip(meetings, offsets, strict=True):
        local = meeting.event["DTSTART"].dt.replace(tzinfo=None)
        if zone == "UTC":
            assert "VTIMEZONE" not in meeting.raw
            continue
        (definition,) = meeting.calendar.timezones
        assert definition.to_tz(lookup_tzid=False).utcoffset(local) == timedelta(hours=hours)


async def test_many_people_in_parts(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A part of a notice is a transaction. After it, any worker goes on with the rest."""
    monkeypatch.setattr("trilha.training.classes.invitations.telling._MESSAGES", 4)
    classes, party = await begin(world, *(f"p{number}" for number in range(7)))
    made = await classes.create(classes.session(24), classes.session(48))
    answer = await classes.post(f"classes/{made['id']}/registrations/bulk", user_ids=list(party.ids.values()))
    assert answer.status_code == 201
    parts = 0
    while await JOB.run_in(world.database, world.tenant.id):
        parts += 1
    assert parts == 2 + 4  # two sessions, and people by two
    await change(world, made["sessions"][0], room="Sala 2")
    taken = await party.take()
    assert set(taken) == set(party.ids)
    assert {tuple(sorted(each)) for each in taken.values()} == {
        (("REQUEST", 0), ("REQUEST", 0), ("REQUEST", 1))
    }


async def test_a_transaction_that_fails_invites_nobody(world: World) -> None:
    classes, party = await begin(world, "ana")
    made = await classes.create()

    async def register_and_fail() -> None:
        async with world.tx() as tx:
            await registering.register(tx, UUID(made["id"]), UUID(party.ids["ana"]))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        await register_and_fail()
    assert await party.take() == {}
