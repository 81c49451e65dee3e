"""The companies whose pages are checked, beside the demo. In one of them, every text has its
maximum length.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from uuid import UUID

from msgspec import Struct

from browser.federated import federate
from browser.learning_records import add_long_records
from trilha.access.api_keys import actions as api_keys
from trilha.access.oauth import actions as oauth
from trilha.access.scim.tokens import actions as scim_tokens
from trilha.app import PERSONAL_DATA
from trilha.cli.demo.people import ADMIN, INSTRUCTOR, LEARNER, MANAGER
from trilha.core.credentials import Actor, Scope
from trilha.core.database import Tx
from trilha.core.passwords import HashedPassword
from trilha.core.types import Timestamp, Title
from trilha.core.web.parsing import convert
from trilha.people.business_units import actions as units
from trilha.people.business_units.schema import NewBusinessUnit
from trilha.people.learning_groups import actions as groups
from trilha.people.learning_groups.schema import NewLearningGroup
from trilha.people.users import actions as users
from trilha.people.users.schema import NewUser, Role, User
from trilha.platform.webhooks import actions as webhooks
from trilha.platform.webhooks.actions import EndpointLimit
from trilha.platform.webhooks.schema import NewEndpoint
from trilha.settings import Settings
from trilha.training.classes import actions as classes
from trilha.training.classes import registering
from trilha.training.classes.schema import ClassCreate
from trilha.training.courses import actions as courses
from trilha.training.courses import module_actions
from trilha.training.courses.schema import NewCourse, NewModule
from trilha.training.enrollment_requests import actions as enrollment_requests
from trilha.training.enrollments import actions as enrollments
from trilha.training.enrollments.schema import NewEnrollment
from trilha.training.learning_paths import actions as paths
from trilha.training.learning_paths import advancing
from trilha.training.learning_paths.schema import NewPath

_WORDS = (
    "Treinamento obrigatório de segurança do trabalho em altura para equipes de manutenção predial "
    "da unidade industrial de São José dos Campos"
)
LONG = _WORDS[:120].strip()
UNBROKEN = ("anticonstitucionalissimamente" * 5)[:120]
EMAILS: Mapping[Role, str] = {
    "admin": "administradora.com.um.nome.muito.comprido.mesmo@empresa-com-um-nome-bem-comprido.example.com",
    "learner": "colaborador@example.com",
}
DEMO: Mapping[Role, str] = {
    "admin": ADMIN,
    "gestor": MANAGER,
    "instrutor": INSTRUCTOR,
    "learner": LEARNER,
}


class Company(Struct, frozen=True):
    """A tenant, with the e-mail addresses and the shared password of its people."""

    slug: str
    emails: Mapping[Role, str]
    password: str


async def found(tx: Tx, settings: Settings, password: HashedPassword) -> User:
    """Creates the first administrator of an otherwise empty company."""
    return await _person(tx, password, "Helena Prado", EMAILS["admin"], "admin")


async def fill_with_long_words(tx: Tx, settings: Settings, password: HashedPassword) -> None:
    """Creates everything that has a name with names of 120 characters, in several words and in one word."""
    admin = await _person(tx, password, f"Maria {LONG}"[:120], EMAILS["admin"], "admin")
    tx.actor = Actor("session", str(admin.id), "2001:db8:85a3:8d3:1319:8a2e:370:7348")
    unit = await _units(tx)
    placed = {"business_unit_id": str(unit), "department": LONG, "job_title": UNBROKEN}
    learner = await _person(
        tx, password, UNBROKEN, EMAILS["learner"], "learner", employee_number=UNBROKEN, **placed
    )
    manager = await _person(tx, password, LONG, f"{UNBROKEN[:60]}@example.com", "gestor", **placed)
    teacher = await _person(tx, password, f"Zoé {UNBROKEN}"[:120], "z@example.com", "instrutor")
    leaver = await _person(tx, password, LONG, "leaver@example.com", "learner", **placed)
    await users.suspend(tx, leaver.id)
    erased = await _person(tx, password, "Somebody", "erased@example.com", "learner")
    await PERSONAL_DATA.erase(tx, erased.id)
    await units.set_managers(tx, unit, [manager.id])
    group = await _groups(tx, [learner.id, manager.id, leaver.id])
    courses = await _courses(tx, teacher.id, learner.id)
    await _classes(tx, courses[0], teacher.id, [learner.id, teacher.id])
    await _requests(tx, [admin.id, manager.id], courses)
    await _paths(tx, courses, group, unit)
    await _credentials(tx, settings)
    await federate(tx, (LONG, UNBROKEN))


async def _person(
    tx: Tx, password: HashedPassword, name: str, email: str, role: Role, **members: Any
) -> User:
    new = convert(NewUser, {"name": name, "email": email} | members, tx.today)
    return await users.create(tx, new, password, role=role)


async def _units(tx: Tx) -> UUID:
    """Creates units below each other. Returns the lowest."""
    above: UUID | None = None
    for number, name in enumerate((LONG, UNBROKEN, LONG, UNBROKEN)):
        raw = {"name": name, "code": f"{number}-{UNBROKEN[:30]}", "parent_id": str(above) if above else None}
        above = (await units.create(tx, convert(NewBusinessUnit, raw, tx.today))).id
    assert above
    return above


async def _groups(tx: Tx, members: list[UUID]) -> UUID:
    """Creates groups. Returns the last one."""
    for name in (LONG, UNBROKEN):
        new = convert(NewLearningGroup, {"name": name, "description": f"{LONG} {UNBROKEN}"}, tx.today)
        group = await groups.create(tx, new)
        await groups.add_members(tx, group.id, members)
    return group.id


async def _paths(tx: Tx, courses: list[UUID], group: UUID, unit: UUID) -> None:
    """Creates paths with people whose assignments have problems, such as a suspended person."""
    for number, title in enumerate((LONG, UNBROKEN)):
        raw = {"title": title, "description": f"{LONG} {UNBROKEN}", "in_order": bool(number)}
        path = await paths.create(tx, convert(NewPath, raw | {"deadline_days": 3650}, tx.today), courses)
        await paths.publish(tx, path.id)
        await paths.assign_group(tx, path.id, group)
        await paths.assign_unit(tx, path.id, unit)
    while await advancing.roll_out(tx):
        pass


async def _classes(tx: Tx, course: UUID, teacher: UUID, people: list[UUID]) -> None:
    """Creates classes with a waiting list, of which two are in one room at the same time."""
    new = NewModule(title=Title(UNBROKEN), type="CLASS", duration_minutes=240, required=False)
    (module,) = await module_actions.add(tx, course, [new])
    start = tx.now.replace(minute=0, second=0, microsecond=0) + timedelta(hours=26)
    for title in (LONG, UNBROKEN):
        sessions = [
            {
                "starts_at": Timestamp.of(start + timedelta(days=day)),
                "ends_at": Timestamp.of(start + timedelta(days=day, hours=30 if day else 4)),
                "time_zone": "Europe/Lisbon",
                "room": UNBROKEN if day else LONG,
                "meeting_url": f"https://meet.example.com/{UNBROKEN}",
                "instructor_ids": [str(teacher)],
            }
            for day in (0, 3)
        ]
        raw = {"course_id": str(course), "module_id": str(module.id), "title": title, "maximum_people": 1}
        made, _ = await classes.create(tx, convert(ClassCreate, raw | {"sessions": sessions}, tx.today))
        for user_id in people:
            await registering.register(tx, made.id, user_id)
    await classes.cancel_session(tx, made.sessions[1].id, f"{LONG} {UNBROKEN}")


async def _courses(tx: Tx, teacher: UUID, learner: UUID) -> list[UUID]:
    made = []
    for number, title in enumerate((LONG, UNBROKEN, f"{UNBROKEN[:60]} {LONG}"[:120])):
        raw = {
            "title": title,
            "slug": f"{number}-{UNBROKEN[:80]}",
            "description": f"{LONG} {UNBROKEN}",
            "category": UNBROKEN,
            "self_enrollment": "APPROVAL",
            "tags": [LONG[:60].replace(",", "").strip(), UNBROKEN[:60]],
            "modules": [{"title": each, "duration_minutes": 99_999} for each in (LONG, UNBROKEN)],
        }
        course = await courses.create(tx, convert(NewCourse, raw, tx.today))
        await courses.publish(tx, course.id)
        await courses.set_teachers(tx, course.id, [teacher])
        until = Timestamp.of(tx.now + timedelta(days=3)) if number else None
        new = NewEnrollment(user_id=learner, course_id=course.id, expires_at=until)
        await enrollments.enroll(tx, new)
        made.append(course.id)
    return made


async def _requests(tx: Tx, people: list[UUID], courses: list[UUID]) -> None:
    """Creates a request that waits, and one that was refused, for each of these people."""
    texts = f"{LONG} {UNBROKEN} " * 2
    for person in people:
        for course in courses[:2]:
            request = await enrollment_requests.request(tx, person, course, texts[:500])
        await enrollment_requests.reject(tx, request.id, texts[:500])


async def _credentials(tx: Tx, settings: Settings) -> None:
    await add_long_records(tx, LONG, UNBROKEN)
    for name in (LONG, UNBROKEN):
        everywhere = ", ".join(f"2001:db8:85a3:8d3:1319:8a2e:370:{each}" for each in range(7000, 7010))
        await api_keys.create(tx, name, list(Scope), prefix=settings.api_key_prefix, networks=everywhere)
        await oauth.create(tx, name, ["users:read"], networks=everywhere)
        await scim_tokens.create(tx, name, networks=everywhere)
        raw = {
            "url": f"https://example.com/{UNBROKEN * 3}",
            "events": ["user.created", "enrollment.completed"],
            "description": name,
        }
        new = convert(NewEndpoint, raw, tx.today)
        made = await webhooks.create(tx, new, settings.guard, EndpointLimit(settings.webhook_endpoints))
        await webhooks.test(tx, made.id)
