"""A week of classes in simulated time, in which the worker dies again and again: no class is ever over its
capacity, the waiting list is kept in order, overlaps are told, and everybody has every invitation once, with
the same UID and a rising SEQUENCE.

A model that knows nothing of the product says what is expected.
"""

import asyncio
import random
from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime, timedelta
from email import message_from_bytes
from email.policy import SMTPUTF8
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from conftest import World
from mail_receiver import dispatcher_of
from training.classes.classes import Classes, offer
from training.classes.inbox import JOB, Inbox, Meeting
from training.classes.reading import read_with_ical4j
from trilha.core.types import Timestamp

ZONES = ("America/Sao_Paulo", "Europe/Lisbon", "America/New_York")
ROOMS = ("Sala 1", "Sala 2", None)
# The clocks of New York change on March 9, and those of Lisbon on March 30.
BEGIN = datetime.fromisoformat("2031-03-05T11:00:00+00:00")
DAYS = 7
LEASE = timedelta(seconds=20)
Told = tuple[str, int]


class Session:
    """A session as the model has it."""

    def __init__(self, id: str, class_number: int, data: dict[str, Any]) -> None:
        self.id = id
        self.class_number = class_number
        self.is_cancelled = False
        self.read(data)

    def read(self, data: dict[str, Any]) -> None:
        self.starts_at, self.ends_at = data["starts_at"], data["ends_at"]
        self.room, self.link = data["room"], data["meeting_url"]
        self.instructors = set(data["instructor_ids"])

    def overlaps(self, other: "Session") -> bool:
        open_now = not self.is_cancelled and not other.is_cancelled
        return open_now and self.starts_at < other.ends_at and other.starts_at < self.ends_at


class Class:
    def __init__(self, id: str, capacity: int) -> None:
        self.id = id
        self.capacity = capacity
        self.is_cancelled = False
        self.places: dict[str, str] = {}  # registrations by person
        self.waiting: dict[str, str] = {}  # in the order of the list
        self.sessions: list[Session] = []


class Week:
    """The company: what is done to it, and what the model expects."""

    def __init__(self, world: World, classes: Classes, people: list[str], seed: int) -> None:
        self.world = world
        self.api = classes
        self.people = people
        self.chance = random.Random(seed)
        self.classes: list[Class] = []
        self.inbox = Inbox(world)
        # what calendars have, by session and person: messages, and the end of an open invitation
        self.told: dict[tuple[str, str], list[Told]] = defaultdict(list)
        self.open: dict[tuple[str, str], str] = {}
        self.kills = 0
        self.warned = 0

    @property
    def now(self) -> str:
        return str(Timestamp.of(self.world.clock()))

    def sessions(self) -> Iterator[Session]:
        return (session for each in self.classes for session in each.sessions)

    async def call(self, method: str, path: str, **body: Any) -> dict[str, Any]:
        answer = await self.world.http.request(method, f"/v1/{path}", json=body)
        assert answer.status_code in (200, 201), answer.text
        whole: dict[str, Any] = answer.json()
        return whole

    # What a calendar is told.

    def request(self, session: Session, person: str) -> None:
        key = (session.id, person)
        if max(session.ends_at, self.open.get(key, "")) > self.now:
            self.told[key].append(("REQUEST", len(self.told[key])))
            self.open[key] = session.ends_at

    def withdraw(self, session: Session, person: str) -> None:
        key = (session.id, person)
        if self.open.get(key, "") > self.now:
            self.told[key].append(("CANCEL", len(self.told[key])))
            del self.open[key]

    def place(self, each: Class, person: str, registration: str) -> None:
        each.places[person] = registration
        for session in each.sessions:
            if not session.is_cancelled:
                self.request(session, person)

    def move_up(self, each: Class) -> None:
        while each.waiting and len(each.places) < each.capacity and not each.is_cancelled:
            person = next(iter(each.waiting))
            self.place(each, person, each.waiting.pop(person))

    # What is done.

    def invent(self) -> dict[str, Any]:
        begin = BEGIN + timedelta(hours=self.chance.randrange(DAYS * 24))
        length = timedelta(minutes=self.chance.choice((45, 90, 240)))
        link = self.chance.choice((f"https://meet.example.com/{uuid4().hex}", None))
        return {
            "starts_at": Timestamp.of(begin),
            "ends_at": Timestamp.of(begin + length),
            "time_zone": self.chance.choice(ZONES),
            "room": self.chance.choice(ROOMS),
            "meeting_url": link,
            "instructor_ids": self.chance.sample(self.people[:6], self.chance.randrange(2)),
        }

    async def create(self, capacity: int) -> None:
        answer = await self.call(
            "POST",
            "classes",
            course_id=str(self.api.course_id),
            module_id=str(self.api.class_module),
            title=f"Turma {len(self.classes) + 1}",
            maximum_people=capacity,
            sessions=[self.invent() for _ in range(self.chance.randint(1, 2))],
        )
        made = Class(answer["data"]["id"], capacity)
        self.classes.append(made)
        for data in answer["data"]["sessions"]:
            made.sessions.append(Session(data["id"], len(self.classes) - 1, data))
        self.check_warnings(answer, made.sessions)

    async def register_many(self, each: Class, people: list[str]) -> None:
        if each.is_cancelled:
            return
        await self.call("POST", f"classes/{each.id}/registrations/bulk", user_ids=people)
        ids = {row["user_id"]: row["id"] for row in await self.read_registrations(each)}
        for person in people:
            if person in each.places or person in each.waiting:
                continue
            if len(each.places) < each.capacity and not each.waiting:
                self.place(each, person, ids[person])
            else:
                each.waiting[person] = ids[person]

    async def register(self) -> None:
        each, person = self.chance.choice(self.classes), self.chance.choice(self.people)
        await self.register_many(each, [person])

    async def unregister(self) -> None:
        each = self.chance.choice(self.classes)
        registered = {**each.places, **each.waiting}
        if not registered:
            return
        person = self.chance.choice(sorted(registered))
        await self.call("POST", f"classes/{each.id}/registrations/{registered[person]}/cancel")
        if each.waiting.pop(person, None) is None:
            del each.places[person]
            for session in each.sessions:
                self.withdraw(session, person)
            self.move_up(each)

    async def enlarge(self) -> None:
        each = self.chance.choice(self.classes)
        if not each.is_cancelled:
            each.capacity += 1
            await self.call("PATCH", f"classes/{each.id}", maximum_people=each.capacity)
            self.move_up(each)

    async def add_session(self) -> None:
        each = self.chance.choice(self.classes)
        if not each.is_cancelled:
            answer = await self.call("POST", f"classes/{each.id}/sessions", **self.invent())
            session = Session(answer["data"]["id"], self.classes.index(each), answer["data"])
            each.sessions.append(session)
            self.check_warnings(answer, [session])
            for person in each.places:
                self.request(session, person)

    async def change_session(self) -> None:
        open_now = [each for each in self.sessions() if not each.is_cancelled]
        if not open_now:
            return
        session, members = self.chance.choice(open_now), self.invent()
        # Also what changes nothing: the same room or link again.
        names = self.chance.choice((["starts_at", "ends_at"], ["room"], ["meeting_url"], ["instructor_ids"]))
        before = (session.starts_at, session.ends_at, session.room, session.link)
        body = {name: members[name] for name in names}
        answer = await self.call("PATCH", f"sessions/{session.id}", **body)
        session.read(answer["data"])
        self.check_warnings(answer, [session])
        if (session.starts_at, session.ends_at, session.room, session.link) != before:
            for person in self.classes[session.class_number].places:
                self.request(session, person)

    async def cancel_session(self) -> None:
        open_now = [each for each in self.sessions() if not each.is_cancelled]
        if len(open_now) > len(self.classes) // 2:
            await self.end(self.chance.choice(open_now))

    async def end(self, session: Session) -> None:
        await self.call("POST", f"sessions/{session.id}/cancel", reason="Chuva")
        session.is_cancelled = True
        for person in self.classes[session.class_number].places:
            self.withdraw(session, person)

    async def cancel_class(self) -> None:
        each = self.chance.choice(self.classes)
        if sum(other.is_cancelled for other in self.classes) * 5 < len(self.classes):
            await self.call("POST", f"classes/{each.id}/cancel", reason="Greve")
            each.is_cancelled = True
            for session in each.sessions:
                session.is_cancelled = True
                for person in each.places:
                    self.withdraw(session, person)

    def check_warnings(self, answer: dict[str, Any], changed: list[Session]) -> None:
        """Compares the overlaps in an answer with those of the model."""
        expected = set()
        for mine in changed:
            for other in self.sessions():
                if other.id == mine.id or not mine.overlaps(other):
                    continue
                if mine.room is not None and mine.room == other.room:
                    expected.add(("room_overlap", other.id))
                if mine.instructors & other.instructors:
                    expected.add(("instructor_overlap", other.id))
                people = [self.classes[each.class_number].places.keys() for each in (mine, other)]
                if people[0] & people[1]:
                    expected.add(("learner_overlap", other.id))
        warnings = answer["_meta"]["warnings"]
        assert {(each["code"], each["session_id"]) for each in warnings} == expected
        self.warned += len(expected)

    async def read_registrations(self, each: Class) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = []
        query: dict[str, Any] = {"limit": 100}
        while True:
            page = (await self.world.http.get(f"/v1/classes/{each.id}/registrations", params=query)).json()
            rows += page["data"]
            if not page["has_more"]:
                return [row for row in rows if row["status"] != "CANCELLED"]
            query["cursor"] = page["next_cursor"]

    async def check_places(self) -> None:
        for each in self.classes:
            rows = await self.read_registrations(each)
            places = {row["user_id"] for row in rows if row["status"] == "REGISTERED"}
            waiting = {row["position"]: row["user_id"] for row in rows if row["status"] == "WAITLISTED"}
            assert places == set(each.places)
            assert len(places) <= each.capacity
            assert [waiting[position] for position in sorted(waiting)] == list(each.waiting)
            assert sorted(waiting) == list(range(1, len(waiting) + 1))

    async def deliver(self) -> None:
        """Does what the worker does, while it dies at any point."""
        tenant = self.world.tenant.id
        while self.chance.random() < 0.4:
            await self._kill(JOB.run_in(self.world.database, tenant))
        while await JOB.run_in(self.world.database, tenant):
            if self.chance.random() < 0.1:
                await self._kill(JOB.run_in(self.world.database, tenant))
        while self.chance.random() < 0.1:
            await self._kill(dispatcher_of(self.world, transport=self.inbox).drain())
            # What the worker had claimed becomes due again when its lease ends.
            self.world.clock.now += LEASE
        await dispatcher_of(self.world, transport=self.inbox).drain()

    async def _kill(self, work: Any) -> None:
        """Ends work at any of its points. Its connection is lost, and with it the open transaction."""
        task = asyncio.ensure_future(work)
        await asyncio.wait([task], timeout=self.chance.uniform(0, 0.03))
        self.kills += not task.done()
        task.cancel()
        await asyncio.wait([task])

    async def compare(self, folder: Path) -> None:
        mails = {each.id: each.content for each in self.inbox.sent}
        assert all(mails[each.id] == each.content for each in self.inbox.sent), "a message has two contents"
        meetings: dict[str, list[tuple[str, Meeting]]] = defaultdict(list)
        for id, content in mails.items():
            meeting = Meeting(message_from_bytes(content, policy=SMTPUTF8))  # type: ignore[arg-type]
            meetings[meeting.uid].append((str(id), meeting))
        told = sorted(
            sorted((each.method, each.sequence) for _, each in messages) for messages in meetings.values()
        )
        assert told == sorted(sorted(each) for each in self.told.values() if each)
        for messages in meetings.values():
            assert len({each.to for _, each in messages}) == 1
            assert sorted(each.sequence for _, each in messages) == list(range(len(messages)))
        flat = {id: each for messages in meetings.values() for id, each in messages}
        again = len(self.inbox.sent) - len(flat)
        print(
            f"{len(flat)} messages about {len(meetings)} invitations, {again} arrived again; "
            f"{self.kills} kills, {self.warned} overlaps"
        )
        read = read_with_ical4j({id: each.raw for id, each in flat.items()}, folder)
        assert read == {
            id: (each.method, each.uid, each.sequence, int(each.event.start.timestamp()))
            for id, each in flat.items()
        }


@pytest.mark.parametrize(
    ("classes", "people", "steps"),
    [(4, 24, 30), pytest.param(40, 1200, 600, marks=[pytest.mark.long, pytest.mark.timeout(3600)])],
    ids=["short", "long"],
)
@pytest.mark.timeout(300)
async def test_a_week_of_classes(world: World, tmp_path: Path, classes: int, people: int, steps: int) -> None:
    world.clock.now = BEGIN - timedelta(hours=1)
    users = [{"email": f"{uuid4().hex}@example.com", "name": f"Ana {number}"} for number in range(people)]
    for at in range(0, people, 500):
        answer = await world.http.put("/v1/users/bulk", json={"users": users[at : at + 500]})
        assert answer.status_code == 200, answer.text
    async with world.tx() as tx:
        rows = await tx.rows("SELECT id FROM users WHERE tenant_id = :tenant ORDER BY email")
    week = Week(world, await offer(world), [str(row["id"]) for row in rows], seed=classes)
    share = people // classes
    for _ in range(classes):
        await week.create(week.chance.randint(share * 2 // 3, share + 2))
    for number, each in enumerate(week.classes):
        await week.register_many(each, week.people[number * share : (number + 1) * share])
    await week.deliver()
    todo = (
        *(week.register,) * 6,
        *(week.unregister,) * 4,
        *(week.change_session,) * 5,
        *(week.enlarge, week.add_session, week.add_session, week.cancel_session),
    )
    for step in range(steps):
        for _ in range(week.chance.randint(1, 3)):
            await week.chance.choice(todo)()
        if step % (steps // 3) == 1:
            await week.cancel_class()
        await week.deliver()
        world.clock.now += timedelta(days=DAYS) / steps
    await week.check_places()
    await week.compare(tmp_path / "calendars")
