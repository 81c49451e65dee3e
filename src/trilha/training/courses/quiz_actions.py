"""Changes to the quiz of a module; each is also a change of the course."""

from collections.abc import Sequence
from uuid import UUID

from msgspec import structs

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.types import Title
from trilha.training.courses import module_actions, module_queries, queries, rules
from trilha.training.courses.lessons import queries as lessons
from trilha.training.courses.schema import AuthoredModule, NewModule, OutlinedModule
from trilha.training.courses.translations import queries as translations
from trilha.training.quizzes import actions as quizzes
from trilha.training.quizzes import queries as quiz_queries
from trilha.training.quizzes import translation_queries as question_translations
from trilha.training.quizzes.schema import NewQuestion, NewQuiz, Question, QuizPatch
from trilha.training.quizzes.translations import QuestionTexts


async def add(tx: Tx, course_id: UUID, module: NewModule, quiz: NewQuiz) -> OutlinedModule:
    """Appends a module of type QUIZ. Raises NotFound."""
    await queries.lock(tx, course_id)
    return (await module_actions.add(tx, course_id, [await with_quiz(tx, module, quiz)]))[0]


async def with_quiz(tx: Tx, module: NewModule, quiz: NewQuiz) -> NewModule:
    """Returns the module with a newly created quiz."""
    made = await quizzes.create(tx, quiz)
    return structs.replace(module, type="QUIZ", content={"quiz_id": str(made.id)})


async def copy_all(tx: Tx, course_id: UUID) -> None:
    """Creates copies of the quizzes for modules that were copied from another course."""
    for module in await module_queries.list_all(tx, course_id):
        if module.quiz_id:
            copied = await quizzes.copy(tx, module.quiz_id)
            await module_queries.update(tx, module.id, {"content": {"quiz_id": str(copied)}})


async def duplicate_module(tx: Tx, course_id: UUID, module_id: UUID) -> UUID:
    """Adds a copy right after the module and returns its id; a quiz is copied, other content is shared.

    Raises NotFound, and BusinessRule (too_many_modules).
    """
    await queries.lock(tx, course_id)
    module = await module_queries.get(tx, course_id, module_id)
    content = module.content
    if module.quiz_id:
        content = {"quiz_id": str(await quizzes.copy(tx, module.quiz_id))}
    minutes = None if module.minutes_estimated else module.duration_minutes
    members = {name: getattr(module, name) for name in ("type", "required", "body", "presence_percent")}
    new = NewModule(
        title=Title.fit(module.title),
        duration_minutes=minutes,
        content=content,
        workload_kind=module.chosen_workload_kind,
        delivery=module.chosen_delivery,
        **members,
    )
    (added,) = await module_actions.insert(tx, course_id, [new])
    await lessons.copy_versions_of_module(tx, module_id, added.id)
    await translations.copy_of_module(tx, module_id, added.id)
    order = [each.id for each in await module_queries.list_all(tx, course_id)]
    await module_queries.set_order(tx, course_id, rules.move(order, added.id, module.position + 1))
    await module_actions.tell(tx, course_id)
    return added.id


async def find_quiz(tx: Tx, course_id: UUID, module_id: UUID) -> tuple[AuthoredModule, UUID]:
    """Returns the module and the id of its quiz. Raises NotFound (module_not_found, quiz_not_found)."""
    module = await module_queries.get(tx, course_id, module_id)
    if (quiz_id := module.quiz_id) is None:
        raise NotFound("quiz_not_found")
    return module, quiz_id


async def change(tx: Tx, course_id: UUID, module_id: UUID, patch: QuizPatch) -> None:
    """Raises NotFound."""
    quiz_id = await lock_quiz(tx, course_id, module_id)
    if await quizzes.change(tx, quiz_id, patch):
        await module_actions.tell(tx, course_id)


async def add_question(tx: Tx, course_id: UUID, module_id: UUID, question: NewQuestion) -> UUID:
    """Raises NotFound, and BusinessRule (too_many_questions)."""
    quiz_id = await lock_quiz(tx, course_id, module_id)
    made = await quizzes.add_questions(tx, quiz_id, [question])
    await module_actions.tell(tx, course_id)
    return made[0]


async def add_bank_questions(tx: Tx, course_id: UUID, module_id: UUID, questions: Sequence[Question]) -> int:
    """Adds copies of questions of the bank, without those that the quiz has; returns their number.

    Raises NotFound, and BusinessRule (too_many_questions).
    """
    quiz_id = await lock_quiz(tx, course_id, module_id)
    added = await quizzes.add_bank_questions(tx, quiz_id, questions)
    if added:
        await module_actions.tell(tx, course_id)
    return added


async def change_question(
    tx: Tx, course_id: UUID, module_id: UUID, question_id: UUID, question: NewQuestion
) -> None:
    """Raises NotFound."""
    quiz_id = await lock_quiz(tx, course_id, module_id)
    if await quizzes.change_question(tx, quiz_id, question_id, question):
        await module_actions.tell(tx, course_id)


async def translate_question(
    tx: Tx, course_id: UUID, module_id: UUID, question_id: UUID, language: str, texts: QuestionTexts | None
) -> None:
    """Sets the texts of a question in a further language of the course; without any, removes them. Texts of
    choices that the question does not have are left out. Raises NotFound.
    """
    quiz_id = await lock_quiz(tx, course_id, module_id)
    question = await quiz_queries.get_question(tx, quiz_id, question_id)
    if texts is None:
        await question_translations.delete(tx, question_id, language)
    else:
        known = {each.id for each in question.choices}
        choices = {id: text for id, text in texts.choices.items() if id in known}
        await question_translations.put(tx, question, language, structs.replace(texts, choices=choices))
    await module_actions.tell(tx, course_id)


async def move_question(tx: Tx, course_id: UUID, module_id: UUID, question_id: UUID, position: int) -> None:
    """Raises NotFound."""
    quiz_id = await lock_quiz(tx, course_id, module_id)
    if await quizzes.move_question(tx, quiz_id, question_id, position):
        await module_actions.tell(tx, course_id)


async def remove_question(tx: Tx, course_id: UUID, module_id: UUID, question_id: UUID) -> None:
    """Raises NotFound."""
    quiz_id = await lock_quiz(tx, course_id, module_id)
    await quizzes.remove_question(tx, quiz_id, question_id)
    await module_actions.tell(tx, course_id)


async def lock_quiz(tx: Tx, course_id: UUID, module_id: UUID) -> UUID:
    """Locks the course, and returns the id of the module's quiz. Raises NotFound."""
    await queries.lock(tx, course_id)
    return (await find_quiz(tx, course_id, module_id))[1]
