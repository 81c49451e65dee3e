"""Reminders: what is due when, once, in one mail, by hand, and never to who must not get one."""

from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from conftest import World
from training.requirements.settling import complete, enrolled, require, settle
from trilha.platform.mail.catalogue import Reminders
from trilha.platform.mail.delivery.dispatcher import Dispatcher
from trilha.platform.mail.delivery.folder import FolderTransport
from trilha.platform.mail.queries import DueTenant
from trilha.settings import Settings
from trilha.training.reminders.jobs import MAKE_DUE, build_mail_job
from trilha.training.reminders.rules import SendingTimes, plan_threshold

ZONE = ZoneInfo("America/Sao_Paulo")
MAIL = build_mail_job("https://learn.example.com")


async def work(world: World) -> None:
    """Runs the worker until no reminder is left."""
    for job in (MAKE_DUE, MAIL):
        while await job.run_in(world.database, world.tenant.id):
            pass


async def sent(world: World, channel: str = "mail") -> list[str]:
    """Returns the kinds of the reminders that were sent, in order."""
    events = await world.events("reminder.sent")
    return [data["kind"] for _, data in events if data["channel"] == channel]


async def mails(world: World) -> list[str]:
    async with world.tx() as tx:
        rows = await tx.rows(
            "SELECT to_email FROM mail_messages WHERE tenant_id = :tenant AND kind = 'reminders' "
            "ORDER BY created_at, id"
        )
    return [row["to_email"] for row in rows]


DUE = date(2027, 6, 30)


@pytest.mark.parametrize(
    ("assigned", "today", "made", "kind", "next_day"),
    [
        (date(2027, 1, 1), date(2027, 5, 30), (), None, date(2027, 5, 31)),
        (date(2027, 1, 1), date(2027, 5, 31), (), "due_30", date(2027, 6, 23)),
        (date(2027, 1, 1), date(2027, 5, 31), ("due_30",), None, date(2027, 6, 23)),
        (date(2027, 1, 1), date(2027, 6, 25), (), "due_7", date(2027, 6, 29)),
        (date(2027, 1, 1), date(2027, 6, 25), ("due_7",), None, date(2027, 6, 29)),
        (date(2027, 6, 20), date(2027, 6, 20), (), None, date(2027, 6, 23)),
        (date(2027, 6, 23), date(2027, 6, 23), (), "due_7", date(2027, 6, 29)),
        (date(2027, 1, 1), date(2027, 6, 30), ("due_1",), None, date(2027, 7, 1)),
        (date(2027, 1, 1), date(2027, 9, 1), ("due_1", "overdue_1"), "overdue_35", None),
    ],
)
def test_which_threshold_is_due(
    assigned: date, today: date, made: tuple[str, ...], kind: str | None, next_day: date | None
) -> None:
    plan = plan_threshold(assigned, DUE, made, today)
    assert (plan.kind, plan.next_day) == (kind, next_day)


@pytest.mark.parametrize(
    ("moment", "expected"),
    [
        ("2027-06-30T12:00", "2027-06-30T12:00"),  # a Wednesday
        ("2027-06-30T22:30", "2027-07-01T07:00"),
        ("2027-06-30T06:59", "2027-06-30T07:00"),
        ("2027-07-02T23:00", "2027-07-05T07:00"),  # a Friday
        ("2027-07-03T12:00", "2027-07-05T07:00"),
    ],
)
def test_quiet_hours_and_working_days(moment: str, expected: str) -> None:
    times = SendingTimes(time(22), time(7), [1, 2, 3, 4, 5], ZONE)
    at, wanted = (
        datetime.fromisoformat(each).replace(tzinfo=ZONE).astimezone(UTC) for each in (moment, expected)
    )
    assert times.find_next(at) == wanted


async def test_each_threshold_is_told_once(world: World) -> None:
    ana = await world.user()
    await require(world, due_days=40)
    await work(world)
    await work(world)
    assert await sent(world) == ["assigned"]
    assert await sent(world, "bell") == ["assigned"]
    for days in (10, 23, 6, 2, 40):
        world.clock.move(days=days)
        await settle(world)
        await work(world)
        await work(world)
    assert await sent(world) == ["assigned", "due_30", "due_7", "due_1", "overdue_1", "overdue_35"]
    assert await mails(world) == [ana["email"]] * 6


async def test_what_is_ready_at_one_time_is_one_mail(world: World) -> None:
    ana = await world.user()
    for _ in range(3):
        await world.enrollment(user_id=ana["id"])
    await work(world)
    assert await mails(world) == [ana["email"]]
    async with world.tx() as tx:
        (row,) = await tx.rows(
            "SELECT id, content FROM mail_messages WHERE tenant_id = :tenant AND kind = 'reminders'"
        )
    content = world.database.keyring.open(row["content"], world.tenant.id, "mail_messages", row["id"])
    assert content.count('"kind":"assigned"') == 3
    assert Reminders.kind() in content


async def test_who_is_suspended_or_done_gets_nothing(world: World) -> None:
    await world.http.patch("/v1/reminder-settings", json={"working_days": [7], "quiet_from": "00:00"})
    day = datetime(2027, 6, 30, 12, tzinfo=UTC)
    world.clock.now = day
    ana, rui, eva = [await world.user() for _ in range(3)]
    requirement = await require(world, due_days=40)
    for job in (MAKE_DUE,):
        await job.run_in(world.database, world.tenant.id)
    await work(world)
    assert await mails(world) == []
    await world.http.post(f"/v1/users/{rui['id']}/suspend")
    for row in (await world.http.get(f"/v1/requirements/{requirement['id']}/people")).json()["data"]:
        if row["user_id"] == eva["id"]:
            await complete(world, row["enrollment_id"])
    world.clock.move(days=4)
    await work(world)
    assert await mails(world) == [ana["email"]]


async def test_a_kind_that_is_off_is_not_sent(world: World) -> None:
    answer = await world.http.patch("/v1/reminder-settings", json={"kinds": {"assigned": False}})
    assert answer.json()["data"]["kinds"]["assigned"] is False
    assert answer.json()["data"]["kinds"]["due"] is True
    await world.enrollment()
    await work(world)
    assert await sent(world) == []


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"kinds": {"nada": True}}, "kinds.nada"),
        ({"kinds": {"due": 1}}, "kinds.due"),
        ({"working_days": []}, "working_days"),
        ({"working_days": [8]}, "working_days.0"),
        ({"working_days": [1, 1]}, "working_days"),
        ({"quiet_from": "24:00"}, "quiet_from"),
        ({"quiet_until": "7h"}, "quiet_until"),
    ],
)
async def test_wrong_settings_are_refused(world: World, body: dict[str, Any], field: str) -> None:
    answer = await world.http.patch("/v1/reminder-settings", json=body)
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, field)


async def test_a_reminder_by_hand(world: World) -> None:
    ana = await world.user()
    first, second = [await world.enrollment(user_id=ana["id"]) for _ in range(2)]
    await work(world)
    path = "/v1/enrollments/{}/remind"
    answer = await world.http.post(path.format(first["id"]), json={"text": "Falta pouco!"})
    assert answer.status_code == 202
    await work(world)
    assert await sent(world) == ["assigned", "assigned", "manual"]
    for enrollment in (first, second):
        again = await world.http.post(path.format(enrollment["id"]))
        assert (again.status_code, again.json()["error"]["code"]) == (409, "already_reminded")
    world.clock.move(hours=24)
    assert (await world.http.post(path.format(second["id"]), json={})).status_code == 202
    await complete(world, first["id"])
    world.clock.move(hours=25)
    done = await world.http.post(path.format(first["id"]))
    assert (done.status_code, done.json()["error"]["code"]) == (409, "enrollment_completed")
    await world.http.post(f"/v1/users/{ana['id']}/suspend")
    gone = await world.http.post(path.format(second["id"]))
    assert (gone.status_code, gone.json()["error"]["code"]) == (422, "user_not_active")
    too_long = await world.http.post(path.format(second["id"]), json={"text": "x" * 2001})
    assert too_long.status_code == 400


async def test_who_was_suspended_at_first_is_told_after_coming_back(world: World) -> None:
    ana = await world.user()
    await world.enrollment(user_id=ana["id"])
    await world.http.post(f"/v1/users/{ana['id']}/suspend")
    await work(world)
    assert await sent(world) == []
    await world.http.post(f"/v1/users/{ana['id']}/reactivate")
    world.clock.move(hours=1)
    await work(world)
    assert await sent(world) == ["assigned"]


def _read_reminder_headers(folder: Path) -> list[str]:
    texts = [each.read_text() for each in folder.glob("**/*.eml")]
    return [line for text in texts for line in text.splitlines() if line.startswith("X-Trilha-Reminder")]


async def test_what_was_done_while_the_mail_waited_is_left_out(
    world: World, settings: Settings, tmp_path: Path
) -> None:
    ana, rui, eva = [await world.user() for _ in range(3)]
    first = await require(world, title="NR-10")
    second = await require(world, title="NR-35")
    await settle(world)
    await work(world)
    assert len(await mails(world)) == 3
    done = [each for each in await enrolled(world, ana["id"]) if each["course_id"] == first["course_id"]]
    await complete(world, done[0]["id"])
    for each in await enrolled(world, rui["id"]):
        await complete(world, each["id"])
    await world.http.post(f"/v1/users/{eva['id']}/suspend")

    async def find_due() -> list[DueTenant]:
        return [DueTenant(world.tenant.id, world.tenant.name, None)]

    transport = FolderTransport(tmp_path)
    await Dispatcher(world.database, transport, sender=settings.sender, seconds=5, find_due=find_due).drain()
    headers = _read_reminder_headers(tmp_path)
    (left,) = [each for each in await enrolled(world, ana["id"]) if each["course_id"] == second["course_id"]]
    assert headers == [f"X-Trilha-Reminder: assigned {left['id']}"]
