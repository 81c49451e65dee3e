"""The demo's course with a practical part: assessments in each of their states."""

import json
from datetime import timedelta
from typing import Any
from uuid import UUID

from trilha.cli.demo.people import Company
from trilha.core.credentials import Actor
from trilha.core.database import Tx
from trilha.core.web.parsing import convert
from trilha.training.courses import actions as courses
from trilha.training.courses import module_actions, module_queries
from trilha.training.courses.schema import NewChecklistItem, NewCourse, NewModule, build_checklist
from trilha.training.enrollments import actions as enrollments
from trilha.training.practice import actions, queries
from trilha.training.practice.schema import NewRating
from trilha.training.qualifications import actions as qualifications
from trilha.training.qualifications.schema import NewQualification

_TITLE = "Instrutor de NR-10"
_COURSE: dict[str, Any] = {
    "title": "NR-10 com prática no painel",
    "slug": "nr-10-painel",
    "description": "Teoria on-line e prática de bloqueio no painel elétrico, avaliada item a item.",
    "duration_hours": 3,
    "category": "Saúde e segurança",
    "tags": ["segurança"],
    "modules": [{"title": "Riscos elétricos", "duration_minutes": 60, "body": "O que a NR-10 exige."}],
}
_ITEMS = [
    {"title": "Identifica e desliga o circuito certo", "criteria": "Confere o diagrama antes de desligar."},
    {"title": "Bloqueia e etiqueta", "criteria": "Cadeado próprio e etiqueta com nome e data."},
    {"title": "Testa a ausência de tensão", "criteria": "Nas três fases, com o detector testado antes."},
    {"title": "Usa as luvas isolantes", "criteria": "Inspecionadas e dentro da validade."},
]
_GOOD, _BAD = "SATISFACTORY", "UNSATISFACTORY"
# A signature, as the field of a page sends it.
_DRAWING = json.dumps(
    [
        [60, 130, 90, 60, 120, 140, 150, 80, 190, 130, 230, 90, 270, 125],
        [300, 110, 360, 90, 430, 120, 540, 70],
    ]
)


async def assess(tx: Tx, company: Company) -> None:
    """Creates the course, its qualified assessor, and the assessments. The worker judges them."""
    today = tx.now
    tx.actor = Actor("session", str(company.admin.id), "203.0.113.24")
    tx.now = today - timedelta(days=30)
    course = await courses.create(tx, convert(NewCourse, _COURSE, tx.today))
    items = [convert(NewChecklistItem, each, tx.today) for each in _ITEMS]
    raw = {"title": "Bloqueio no painel", "type": "PRACTICE", "duration_minutes": 120}
    content = build_checklist(items, _TITLE)
    await module_actions.add(tx, course.id, [convert(NewModule, raw | {"content": content}, tx.today)])
    await courses.publish(tx, course.id)
    other, teacher = company.instructors[:2]
    await courses.set_teachers(tx, course.id, [teacher.id, other.id])
    for each in (teacher, other):
        await _qualify(tx, each.id, _TITLE, 400)
    await _qualify(tx, other.id, "Instrutor de direção defensiva", 44)
    module = (await module_queries.list_all(tx, course.id))[-1].id
    learner, *others = [each for each in company.people if each.status == "ACTIVE"]
    people = [learner, *others[32:38]]
    places = [await enrollments.enroll_if_needed(tx, each.id, course.id) for each in people]
    rated = ([_GOOD] * 4, [_GOOD] * 4, [_GOOD, _GOOD, _BAD, _GOOD], [_GOOD, _GOOD])
    for number, (person, place, ratings) in enumerate(zip(people, places, rated, strict=False)):
        tx.now = today - timedelta(days=number + 1)
        assessor = other if number == len(rated) - 1 else teacher
        tx.actor = Actor("session", str(assessor.id), "203.0.113.40")
        id = await actions.begin(tx, place, module, assessor.id)
        checklist = (await queries.find(tx, id)).items
        for item, rating in zip(checklist, ratings, strict=False):
            note = "Esqueceu a terceira fase." if rating == _BAD else None
            new = convert(NewRating, {"item_id": str(item.id), "rating": rating, "note": note}, tx.today)
            await actions.rate(tx, id, assessor.id, new)
        if len(ratings) == len(checklist):
            await actions.sign_as_assessor(tx, id, assessor.id, _DRAWING)
        if number == 1:
            tx.actor = Actor("session", str(person.id), "198.51.100.7")
            await actions.sign_as_learner(tx, id, person.id, _DRAWING)
    tx.now = today


async def _qualify(tx: Tx, user_id: UUID, title: str, days: int) -> None:
    """Adds a qualification that is valid for so many days from then."""
    raw = {
        "user_id": str(user_id),
        "title": title,
        "issuing_body": "CREA-SP",
        "register_number": "5069123456",
        "valid_from": (tx.today - timedelta(days=300)).isoformat(),
        "valid_until": (tx.today + timedelta(days=days)).isoformat(),
    }
    await qualifications.create(tx, convert(NewQualification, raw, tx.today))
