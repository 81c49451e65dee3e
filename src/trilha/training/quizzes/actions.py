"""Changes to a quiz. The caller emits the course's event."""

import secrets
from collections.abc import Sequence
from typing import Any, TypeVar
from uuid import UUID

from msgspec import UNSET, structs

from trilha.core.database import Tx
from trilha.core.errors import BusinessRule
from trilha.training.quizzes import queries, translation_queries
from trilha.training.quizzes.schema import MAX_QUESTIONS, NewQuestion, NewQuiz, Question, Quiz, QuizPatch

Q = TypeVar("Q", bound=NewQuestion)


async def create(tx: Tx, new: NewQuiz) -> Quiz:
    """Creates a quiz with its questions."""
    quiz_id = await queries.insert(tx, new)
    if new.questions:
        await queries.insert_questions(tx, quiz_id, [give_ids(each) for each in new.questions])
    return await queries.get(tx, quiz_id)


async def change(tx: Tx, quiz_id: UUID, patch: QuizPatch) -> bool:
    """Returns whether anything changed. Raises NotFound."""
    before = await queries.lock(tx, quiz_id)
    values: dict[str, Any] = {
        name: value
        for name in patch.__struct_fields__
        if (value := getattr(patch, name)) is not UNSET and value != getattr(before, name)
    }
    if values:
        await queries.update(tx, quiz_id, values)
    return bool(values)


async def copy(tx: Tx, quiz_id: UUID) -> UUID:
    """Creates a copy of the quiz. Raises NotFound."""
    await queries.get(tx, quiz_id)
    copied = await queries.copy(tx, quiz_id)
    await translation_queries.copy(tx, quiz_id, copied)
    return copied


async def add_questions(tx: Tx, quiz_id: UUID, questions: Sequence[NewQuestion]) -> list[UUID]:
    """Appends questions. Raises NotFound, and BusinessRule (too_many_questions)."""
    await _check_room(tx, quiz_id, len(questions))
    made = await queries.insert_questions(tx, quiz_id, [give_ids(each) for each in questions])
    await queries.update(tx, quiz_id, {})
    return made


async def add_bank_questions(tx: Tx, quiz_id: UUID, questions: Sequence[Question]) -> int:
    """Appends copies of questions of the bank that the quiz does not have yet, and returns their number.

    Copies keep the ids of the choices, so that answers to all copies can be counted together.
    Raises NotFound, and BusinessRule (too_many_questions).
    """
    present = {each.bank_question_id for each in await _check_room(tx, quiz_id, 0)}
    new = [each for each in questions if each.id not in present]
    await _check_room(tx, quiz_id, len(new))
    if new:
        await queries.insert_questions(tx, quiz_id, new, [each.id for each in new])
        await queries.update(tx, quiz_id, {})
    return len(new)


async def _check_room(tx: Tx, quiz_id: UUID, count: int) -> list[Question]:
    """Locks the quiz and returns its questions. Raises NotFound, and BusinessRule (too_many_questions)."""
    await queries.lock(tx, quiz_id)
    questions = await queries.list_questions(tx, quiz_id)
    if count and len(questions) + count > MAX_QUESTIONS:
        raise BusinessRule("too_many_questions")
    return questions


async def change_question(tx: Tx, quiz_id: UUID, question_id: UUID, question: NewQuestion) -> bool:
    """Returns whether the question changed. Its kind stays, and existing attempts keep the old question. A
    copy from the bank that asks something else is no copy anymore; its weight and pool are the quiz's.
    Raises NotFound.
    """
    await queries.lock(tx, quiz_id)
    before = await queries.get_question(tx, quiz_id, question_id)
    question = give_ids(structs.replace(question, kind=before.kind), before)
    members = {name: getattr(question, name) for name in NewQuestion.__struct_fields__}
    after = structs.replace(before, **members)
    if after == before:
        return False
    if structs.replace(after, weight=before.weight, pool=before.pool) != before:
        after = structs.replace(after, bank_question_id=None)
    await queries.update_question(tx, question_id, after)
    await translation_queries.note_change(tx, after)
    await _settle(tx, quiz_id)
    return True


async def move_question(tx: Tx, quiz_id: UUID, question_id: UUID, position: int) -> bool:
    """Moves a question to a position that counts from 1; a position past the end means last. Raises
    NotFound.
    """
    await queries.lock(tx, quiz_id)
    await queries.get_question(tx, quiz_id, question_id)
    order = [each.id for each in await queries.list_questions(tx, quiz_id)]
    others = [each for each in order if each != question_id]
    place = min(max(position, 1), len(order)) - 1
    wanted = [*others[:place], question_id, *others[place:]]
    if wanted != order:
        await queries.set_order(tx, wanted)
        await queries.update(tx, quiz_id, {})
    return wanted != order


async def remove_question(tx: Tx, quiz_id: UUID, question_id: UUID) -> None:
    """Removes a question; existing attempts keep it. Raises NotFound."""
    await queries.lock(tx, quiz_id)
    await queries.get_question(tx, quiz_id, question_id)
    await queries.delete_question(tx, question_id)
    await _settle(tx, quiz_id)


async def _settle(tx: Tx, quiz_id: UUID) -> None:
    """Removes draws from pools that have no question anymore."""
    quiz = await queries.get(tx, quiz_id)
    pools = {each.pool for each in await queries.list_questions(tx, quiz_id)}
    kept = {name: count for name, count in quiz.draws.items() if name in pools}
    await queries.update(tx, quiz_id, {"draws": kept} if kept != quiz.draws else {})


def give_ids(question: Q, before: Question | None = None) -> Q:
    """Gives choices their ids: a known id stays, an unknown one is replaced."""
    known = {each.id for each in before.choices} if before else set[str]()
    choices = []
    for each in question.choices:
        kept = each.id if each.id in known else f"c{secrets.token_hex(4)}"
        known.discard(each.id)
        choices.append(structs.replace(each, id=kept, text=each.text.strip()))
    return structs.replace(
        question,
        text=question.text.strip(),
        pool=question.pool.strip(),
        feedback=question.feedback.strip(),
        accepted=[each.strip() for each in question.accepted if each.strip()],
        choices=choices,
    )
