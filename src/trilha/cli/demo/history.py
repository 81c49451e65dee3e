"""Plays a year of the demo's company with the ordinary actions, each at the time it happened."""

import random
from collections.abc import Awaitable, Callable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import partial
from heapq import heappop, heappush
from itertools import count
from uuid import UUID

from trilha.access.sessions import queries as sessions
from trilha.cli.demo import (
    classes,
    feedback,
    integration,
    paths,
    people,
    practice,
    progress,
    provisioning,
    requests,
    requirements,
    reviews,
    uses,
)
from trilha.cli.demo.courses import COURSES, Taught
from trilha.cli.demo.people import DRIVER, Company
from trilha.core.credentials import Actor
from trilha.core.database import Tx
from trilha.core.passwords import HashedPassword
from trilha.core.types import Timestamp
from trilha.core.web.parsing import convert
from trilha.people.users import actions as users
from trilha.people.users.schema import User
from trilha.settings import Settings
from trilha.training.certificates import actions as certificates
from trilha.training.courses import actions as courses
from trilha.training.courses.schema import NewCourse
from trilha.training.enrollments import actions as enrollments
from trilha.training.enrollments.schema import NewEnrollment

Step = tuple[datetime, int, Callable[[], Awaitable[object]]]
_DAYS = 365
# Days before today on which people are hired, and how many.
_HIRES = ((364, 78), (270, 10), (180, 12), (95, 9), (30, 7), (4, 3))
# Days before today on which courses are assigned, beside the one for all new hires.
_CAMPAIGNS = (350, 322, 290, 262, 235, 205, 170, 145, 120, 98, 75, 58, 44, 33, 24, 15, 6)
_LATE = 13  # the campaign from which on the last courses come to everybody
_OFFICE = ("203.0.113.24", "203.0.113.40", "198.51.100.7")


class Year:
    """Steps in the order of their times. Steps after today never happen."""

    def __init__(self, tx: Tx, settings: Settings, password: HashedPassword) -> None:
        self._tx = tx
        self._settings = settings
        self._password = password
        self._chance = random.Random(2026)  # noqa: S311
        self._today = tx.now.replace(microsecond=0)  # the database keeps milliseconds
        self._steps: list[Step] = []
        self._numbers = count()
        self._courses: list[tuple[Taught, UUID]] = []
        self._company: Company
        self._enrolled: set[tuple[UUID, UUID]] = set()
        self._feedback = feedback.Feedback(tx)

    async def play(self) -> None:
        await self._begin()
        for ago, people_hired in _HIRES:
            self._add(ago, partial(self._hire, people_hired))
        for number, ago in enumerate(_CAMPAIGNS):
            self._add(ago, partial(self._campaign, number))
        for ago in range(300, -1, -7):
            self._add(ago, partial(enrollments.expire_due, self._tx))
        for days, step in integration.steps(self._tx, self._settings, lambda: self._company, self._chance):
            self._add(days, step)
        for days, step in provisioning.steps(self._tx, lambda: self._company):
            self._add(days, step)
        self._add(2, self._lay_out_paths)
        for number, ago in enumerate(feedback.QUESTION_DAYS):
            noon = self._today.replace(hour=15, minute=7 * number) - timedelta(days=ago)
            self._at(noon, partial(self._feedback.ask, number))
        while self._steps:
            # A step may add further steps.
            self._tx.now, _, step = heappop(self._steps)
            await step()
        self._tx.now = self._today
        courses = {each.raw["slug"]: id for each, id in self._courses}
        await classes.schedule(self._tx, self._company)
        await practice.assess(self._tx, self._company)
        await requirements.require(self._tx, self._company, courses)
        await requests.ask(self._tx, courses)
        await progress.fill(self._tx)
        await reviews.leave(self._tx)
        await uses.note(self._tx)

    def _add(self, ago: float, step: Callable[[], Awaitable[object]]) -> None:
        """Adds a step within working hours in São Paulo."""
        day = self._today - timedelta(days=ago)
        worked = day.replace(hour=self._chance.randrange(12, 21), minute=self._chance.randrange(60))
        self._at(worked if ago else day, step)

    def _at(self, moment: datetime, step: Callable[[], Awaitable[object]]) -> None:
        if moment <= self._today:
            heappush(self._steps, (moment, next(self._numbers), step))

    def _by(self, user: User) -> None:
        """Makes this person the author of the following changes."""
        self._tx.actor = Actor("session", str(user.id), self._chance.choice(_OFFICE))

    async def _begin(self) -> None:
        self._tx.now = self._today - timedelta(days=_DAYS)
        self._company = await people.create_company(self._tx, self._password, self._chance)
        self._by(self._company.admin)
        for taught in COURSES:
            course = await courses.create(self._tx, convert(NewCourse, taught.raw, self._tx.today))
            if taught.published:
                await courses.publish(self._tx, course.id)
            self._courses.append((taught, course.id))
            if taught.instructor is not None:
                teacher = self._company.instructors[taught.instructor]
                await courses.set_teachers(self._tx, course.id, [teacher.id])

    async def _hire(self, limit: int) -> None:
        self._by(self._company.admin)
        hired = list(await people.hire(self._tx, self._company, limit, self._password, self._chance))
        if len(self._company.people) == limit + 1:
            hired += self._company.people[:1]
            await people.join_groups(self._tx, self._company, self._chance)
        welcome = next(each for each in self._courses if each[0].raw["slug"] == "boas-vindas")
        await self._enroll(welcome, hired)
        if len(hired) > 5:  # somebody leaves after a while
            leaver = self._chance.choice([each for each in hired if each.email != people.LEARNER])
            self._at(self._tx.now + timedelta(days=60), partial(users.suspend, self._tx, leaver.id))

    async def _lay_out_paths(self) -> None:
        await paths.lay_out(self._tx, self._company, {each.raw["slug"]: id for each, id in self._courses})

    async def _campaign(self, number: int) -> None:
        """Assigns one or two courses to a part of their audience."""
        given = [each for each in self._courses if each[0].raw["slug"] != "boas-vindas" and each[0].published]
        leaders = (self._company.admin, *self._company.managers)
        for offset in range(2):
            taught, course = given[(number * 2 + offset) % len(given)]
            self._by(leaders[(number + offset) % len(leaders)])
            audience = [each for each in self._company.people if _is_for(taught, each)]
            share = max(1, int(len(audience) * taught.share * 0.4))
            chosen = self._chance.sample(audience, min(share, len(audience)))
            learner = self._company.people[0]
            chosen = [each for each in chosen if each is not learner]
            # The learner of the demo gets some courses late, to have something to do.
            if _is_for(taught, learner) and (number >= _LATE or (taught, course) not in given[-3:]):
                chosen.append(learner)
            await self._enroll((taught, course), chosen)

    async def _enroll(self, course: tuple[Taught, UUID], chosen: Sequence[User]) -> None:
        taught, course_id = course
        new = [each for each in chosen if (each.id, course_id) not in self._enrolled]
        self._enrolled |= {(each.id, course_id) for each in new}
        ends = self._tx.now + timedelta(days=taught.days) if taught.days else None
        # The newest enrollments expire soon, so that there is something to look at.
        if ends and self._today - self._tx.now < timedelta(days=30):
            ends = self._today + timedelta(days=self._chance.randrange(3, 13))
        until = Timestamp.of(ends) if ends and ends > self._tx.now else None
        items = [NewEnrollment(user_id=each.id, course_id=course_id, expires_at=until) for each in new]
        await enrollments.enroll_many(self._tx, items)
        late = self._today - self._tx.now < timedelta(days=_CAMPAIGNS[_LATE] + 1)
        for enrollment, user in await self._list_new_enrollments(course_id):
            self._play_out(enrollment, user, ends, is_open=late and user == self._company.people[0].id)

    async def _list_new_enrollments(self, course_id: UUID) -> list[tuple[UUID, UUID]]:
        """Lists the enrollments that were just created, each with its user, in the order of the users' e-mail
        addresses. These are the same in every demo, so the order is too.
        """
        rows = await self._tx.rows(
            """
            SELECT e.id, e.user_id FROM enrollments AS e
            JOIN users AS u ON u.tenant_id = :tenant AND u.id = e.user_id
            WHERE e.tenant_id = :tenant AND e.course_id = :course_id AND e.created_at = :now ORDER BY u.email
            """,
            course_id=course_id,
        )
        return [(row["id"], row["user_id"]) for row in rows]

    def _play_out(self, enrollment: UUID, user: UUID, ends: datetime | None, *, is_open: bool) -> None:
        """Plays one enrollment: most are completed, some never begun, some left unfinished."""
        begun = self._tx.now
        if is_open:
            self._at(begun + timedelta(hours=4), partial(self._start, enrollment, user))
            self._at(begun + timedelta(hours=5), partial(self._advance, enrollment, 40.0))
            return
        if self._chance.random() < 0.09:
            return
        start = begun + self._hours(4, 9 * 24)
        self._at(start, partial(self._start, enrollment, user))
        score = float(self._chance.randrange(70, 101))
        done = start + self._hours(3, 24 * 24)
        if self._chance.random() < 0.18 or (ends and done >= ends):
            part = float(self._chance.randrange(10, 90))
            self._at(start + self._hours(1, 48), partial(self._advance, enrollment, part))
            return
        self._at(done, partial(self._complete, enrollment, user, score))

    async def _start(self, enrollment: UUID, user: UUID) -> None:
        await sessions.note_login(self._tx, user)
        await enrollments.start(self._tx, enrollment)

    async def _advance(self, enrollment: UUID, part: float) -> None:
        await enrollments.advance(self._tx, enrollment, part, None)

    async def _complete(self, enrollment: UUID, user: UUID, score: float) -> None:
        await sessions.note_login(self._tx, user)
        await enrollments.advance(self._tx, enrollment, 100.0, score)
        await enrollments.complete(self._tx, enrollment)
        await certificates.issue_all(self._tx, {enrollment: None}, announced=False)
        if user != self._company.people[0].id and self._feedback.gives():
            soon = self._tx.now + timedelta(hours=2)
            self._at(soon, partial(self._feedback.evaluate, enrollment, user))
            self._at(soon + timedelta(days=90), partial(self._feedback.apply, enrollment, user))

    def _hours(self, least: int, limit: int) -> timedelta:
        return timedelta(minutes=self._chance.randrange(least * 60, limit * 60))


def _is_for(taught: Taught, user: User) -> bool:
    return taught.audience == "everybody" or user in _audience(taught, [user])


def _audience(taught: Taught, users: Sequence[User]) -> Iterator[User]:
    departments = {"logistics": "Logística", "workshop": "Manutenção"}
    for user in users:
        if taught.audience == "drivers":
            fits = user.job_title == DRIVER
        elif taught.audience == "office":
            fits = user.department in ("Financeiro", "Recursos Humanos")
        else:
            fits = user.department == departments[taught.audience]
        if fits:
            yield user
