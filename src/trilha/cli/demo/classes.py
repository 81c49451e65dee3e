"""The demo's course with classes: theory online, practice in a room, in the past, now and in the future."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from trilha.cli.demo.people import Company
from trilha.core.credentials import Actor
from trilha.core.database import Tx
from trilha.core.types import Timestamp
from trilha.core.web.parsing import convert
from trilha.training.classes import actions, attendance, registering
from trilha.training.classes.schema import AttendanceEntry, ClassCreate, TrainingClass
from trilha.training.courses import actions as courses
from trilha.training.courses import module_queries
from trilha.training.courses.schema import NewCourse

_COURSE: dict[str, Any] = {
    "title": "NR-35 com prática na torre",
    "slug": "nr-35-torre",
    "description": "Teoria on-line e prática presencial na torre de treinamento.",
    "duration_hours": 8,
    "category": "Saúde e segurança",
    "tags": ["segurança"],
    "self_enrollment": "OPEN",
    "certificate_validity_months": 24,
    "modules": [
        {"title": "Normas e riscos", "duration_minutes": 60, "body": "O que a NR-35 exige de cada um."},
        {"title": "Prática na torre", "type": "CLASS", "duration_minutes": 420, "presence_percent": 100},
    ],
}
_TOWER, _YARD = "Torre de treinamento, CD Cajamar", "Pátio da oficina"
_CALL = "https://meet.example.com/aurora-nr-35"
_ZONE = "America/Sao_Paulo"


async def schedule(tx: Tx, company: Company) -> None:
    """Creates the course and its classes. The worker judges the presence."""
    today = tx.now
    tx.actor = Actor("session", str(company.admin.id), "203.0.113.24")
    tx.now = today - timedelta(days=40)
    course = await courses.create(tx, convert(NewCourse, _COURSE, tx.today))
    await courses.publish(tx, course.id)
    teacher = company.instructors[1]
    await courses.set_teachers(tx, course.id, [each.id for each in company.instructors])
    module = (await module_queries.list_all(tx, course.id))[-1].id
    learner, *others = [each for each in company.people if each.status == "ACTIVE"]

    async def create(title: str, places: int, *sessions: dict[str, Any]) -> TrainingClass:
        raw = {
            "course_id": str(course.id),
            "module_id": str(module),
            "title": title,
            "minimum_people": 4,
            "maximum_people": places,
            "sessions": list(sessions),
        }
        made, _ = await actions.create(tx, convert(ClassCreate, raw, tx.today))
        return made

    def meet(days: int, hour: int, hours: float, **members: Any) -> dict[str, Any]:
        """A session so many days from today, at this hour in UTC."""
        start = (today + timedelta(days=days)).replace(hour=hour, minute=0, second=0, microsecond=0)
        return build(start, hours, **members)

    def build(start: datetime, hours: float, **members: Any) -> dict[str, Any]:
        times = {"starts_at": Timestamp.of(start), "ends_at": Timestamp.of(start + timedelta(hours=hours))}
        place = {"time_zone": _ZONE, "room": _TOWER, "instructor_ids": [str(teacher.id)]}
        return {**times, **place, **members}

    past = await create("Turma de abertura", 12, meet(-22, 11, 4), meet(-21, 11, 3))
    await _register(tx, past, [each.id for each in others[:10]])
    tx.now = today - timedelta(days=12)
    half_hour = timedelta(minutes=30)
    started = today.replace(minute=today.minute // 30 * 30, second=0, microsecond=0) - half_hour
    running = await create("Turma de hoje", 10, build(started, 4))
    await _register(tx, running, [each.id for each in others[10:18]])
    following = await create("Turma da semana", 6, meet(4, 11, 4), meet(5, 11, 3))
    await _register(tx, following, [learner.id, *(each.id for each in others[18:26])])
    online = await create(
        "Reciclagem com videochamada",
        20,
        meet(11, 17, 2, room=None, meeting_url=_CALL),
        meet(12, 11, 4, room=_YARD),
    )
    await _register(tx, online, [each.id for each in others[26:29]])
    # In the room and with the instructor of another class, so that there is an overlap to see.
    await create("Turma extra", 8, meet(5, 13, 3))
    cancelled = await create("Turma do feriado", 8, meet(9, 11, 4))
    await _register(tx, cancelled, [each.id for each in others[29:31]])
    tx.now = today
    await actions.cancel(tx, cancelled.id, "A torre está em manutenção nessa data.")
    tx.actor = Actor("session", str(teacher.id), "203.0.113.40")
    for session in past.sessions:
        whole = (session.span[1] - session.span[0]) // timedelta(minutes=1)
        entries = [
            AttendanceEntry(user_id=each.id, minutes=0 if number == 8 else 90 if number == 5 else whole)
            for number, each in enumerate(others[:10])
        ]
        await attendance.record(tx, session.id, entries)


async def _register(tx: Tx, made: TrainingClass, user_ids: Sequence[UUID]) -> None:
    for user_id in user_ids:
        await registering.register(tx, made.id, user_id)
