"""What people get by mail about the sessions of classes."""

from collections.abc import Mapping
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTPUTF8
from typing import Any, cast

from icalendar import Calendar

from conftest import World
from mail_receiver import dispatcher_of
from trilha.platform.mail.schema import Mail, SendResult
from trilha.training.classes.jobs import build_invitations_job

JOB = build_invitations_job("https://learn.test")
_CALENDAR = "text/calendar"


class Meeting:
    """A message with a calendar, read as a calendar program would."""

    def __init__(self, mail: EmailMessage) -> None:
        self.mail = mail
        self.to = mail["To"].addresses[0].addr_spec
        parts = list(mail.iter_parts())
        assert mail.get_content_type() == "multipart/alternative"
        assert [each.get_content_type() for each in parts] == ["text/plain", "text/html", _CALENDAR]
        self.text = cast("str", parts[0].get_content())  # type: ignore[attr-defined]
        self.raw = cast("str", parts[2].get_content())  # type: ignore[attr-defined]
        assert self.raw.count("\n") == self.raw.count("\r\n")
        self.calendar = Calendar.from_ical(self.raw)
        self.method = str(self.calendar["METHOD"])
        assert dict(parts[2]["Content-Type"].params) == {"charset": "utf-8", "method": self.method}
        assert not self.calendar.errors
        self.event: Any
        (self.event,) = self.calendar.events
        assert str(self.event["ATTENDEE"]) == f"mailto:{self.to}"
        assert str(self.event["ORGANIZER"]).startswith("mailto:")
        zones = {str(each["TZID"]) for each in self.calendar.timezones}
        used = {
            str(self.event[name].params["TZID"])
            for name in ("DTSTART", "DTEND")
            if "TZID" in self.event[name].params
        }
        assert used == zones

    @property
    def uid(self) -> str:
        return str(self.event["UID"])

    @property
    def sequence(self) -> int:
        return int(self.event["SEQUENCE"])

    @property
    def told(self) -> tuple[str, int]:
        return self.method, self.sequence


class Inbox:
    """Takes the place of the mail server. It keeps everything in the order in which it was written."""

    place = "the test"

    def __init__(self, world: World) -> None:
        self.world = world
        self.sent: list[Mail] = []

    async def send(self, mail: Mail) -> SendResult:
        self.sent.append(mail)
        return SendResult()

    async def close(self) -> None:
        """Does nothing."""

    async def take(self) -> list[Meeting]:
        """Does what the worker does. Returns the new messages, by person and then by SEQUENCE."""
        while await JOB.run_in(self.world.database, self.world.tenant.id):
            pass
        before = len(self.sent)
        await dispatcher_of(self.world, transport=self).drain()
        mails = [message_from_bytes(each.content, policy=SMTPUTF8) for each in self.sent[before:]]
        meetings = [Meeting(each) for each in mails if each.get_content_type() and _has_calendar(each)]  # type: ignore[arg-type]
        return sorted(meetings, key=lambda each: (each.to, each.uid, each.sequence))

    async def take_by(self, users: Mapping[str, str]) -> dict[str, list[tuple[str, int]]]:
        """Returns METHOD and SEQUENCE of the new messages to each of these people, named by address."""
        taken: dict[str, list[tuple[str, int]]] = {}
        for each in await self.take():
            taken.setdefault(users[each.to], []).append(each.told)
        return taken


def _has_calendar(mail: Any) -> bool:
    return any(each.get_content_type() == _CALENDAR for each in mail.walk())
