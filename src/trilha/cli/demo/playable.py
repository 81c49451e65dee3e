"""A course that can be played at once: a small SCORM package of our own, and a quiz."""

import tempfile
from pathlib import Path
from uuid import UUID
from zipfile import ZipFile

from msgspec import structs

from trilha.cli.course_files import CourseFiles, check_ready
from trilha.cli.demo.people import ADMIN, INSTRUCTOR, LEARNER, MANAGER
from trilha.core.credentials import SYSTEM
from trilha.core.database import Database, Tx
from trilha.core.types import Title
from trilha.core.web.parsing import convert
from trilha.people.users import queries as users
from trilha.settings import Settings
from trilha.training.courses import actions as courses
from trilha.training.courses import module_actions, quiz_actions
from trilha.training.courses import queries as course_queries
from trilha.training.courses.schema import NewCourse, NewModule
from trilha.training.enrollments import actions as enrollments
from trilha.training.enrollments.schema import NewEnrollment
from trilha.training.quizzes.schema import NewQuiz

_FOLDER = Path(__file__).parent / "first_aid"
SLUG = "primeiros-socorros"
_COURSE = {
    "title": "Primeiros socorros",
    "slug": SLUG,
    "description": "O que fazer nos primeiros minutos, até a ajuda chegar.",
    "difficulty": "BEGINNER",
    "duration_hours": 0.2,
    "tags": ["segurança"],
    "category": "Saúde e segurança",
}
_MINUTES = 12
_QUIZ = {
    "pass_mark": 60,
    "feedback": "answers",
    "questions": [
        {
            "kind": "single",
            "text": "O que vem antes de tudo em um acidente?",
            "choices": [
                {"text": "Proteger o local", "right": True},
                {"text": "Mover a vítima"},
                {"text": "Avisar a empresa"},
            ],
            "feedback": "Quem não protege o local vira a próxima vítima.",
        },
        {
            "kind": "true_false",
            "text": "O capacete de quem está consciente fica onde está.",
            "right": True,
        },
        {"kind": "fill_in", "text": "Qual é o número do SAMU?", "accepted": ["192"]},
    ],
}


async def add_playable_course(current: Settings, database: Database, tenant_id: UUID) -> None:
    """Adds the course if it is missing, because an earlier start may have been killed before it."""
    async with database.transaction(tenant_id, read_only=True) as tx:
        if SLUG in await course_queries.list_slugs(tx, SLUG):
            return
    with tempfile.TemporaryDirectory() as folder:
        package = await CourseFiles(current, database, tenant_id, SYSTEM).import_package(
            _zip_folder(Path(folder) / f"{SLUG}.zip")
        )
    check_ready(package)
    async with database.transaction(tenant_id) as tx:
        modules = await module_actions.package_modules(tx, package.id, _MINUTES)
        asked = NewModule(title=Title("O que ficou"), duration_minutes=3, required=False)
        modules.append(await quiz_actions.with_quiz(tx, asked, convert(NewQuiz, _QUIZ, tx.today)))
        course = await courses.create(
            tx, structs.replace(convert(NewCourse, _COURSE, tx.today), modules=modules)
        )
        await courses.publish(tx, course.id)
        for email in (LEARNER, INSTRUCTOR, MANAGER, ADMIN):
            await _enroll(tx, email, course.id)


def _zip_folder(path: Path) -> Path:
    with ZipFile(path, "w") as archive:
        for each in sorted(_FOLDER.iterdir()):
            archive.write(each, each.name)
    return path


async def _enroll(tx: Tx, email: str, course_id: UUID) -> None:
    if (user := await users.find_by_email(tx, email)) is not None:
        await enrollments.enroll(tx, NewEnrollment(user_id=user.id, course_id=course_id))
