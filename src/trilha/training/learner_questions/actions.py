"""Asks, answers and closes questions to instructors."""

from uuid import UUID

import trilha.training.learner_questions.errors  # noqa: F401
from trilha.core.database import Tx
from trilha.core.errors import BusinessRule, Conflict, NotFound, invalid
from trilha.core.lists import find_row, get_row
from trilha.platform.audit import queries as audit
from trilha.training.courses import module_queries as modules
from trilha.training.courses import queries as courses
from trilha.training.enrollments.learner import MyCourse
from trilha.training.learner_questions import queries
from trilha.training.learner_questions.lists import LEARNERS_QUESTIONS, QUESTIONS, Reader
from trilha.training.learner_questions.queries import LockedQuestion
from trilha.training.learner_questions.schema import (
    MAX_ANSWER,
    MAX_QUESTION,
    LearnersQuestion,
    ListedQuestion,
)
from trilha.training.reminders import actions as reminders

MAX_WAITING = 20  # of one person
MAX_MESSAGES = 50  # of one question


def _tidy(text: str, longest: int) -> str:
    """Returns the text with one character for each line break. Raises Invalid (too_short, too_long)."""
    tidy = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    if not tidy:
        raise invalid("text", "too_short")
    if len(tidy) > longest:
        raise invalid("text", "too_long")
    return tidy


async def ask(tx: Tx, user_id: UUID, course: MyCourse, module_id: UUID | None, text: str) -> UUID:
    """Asks the instructors of a course, and tells them. Returns the id of the question.

    Raises Invalid, NotFound (module_not_found), BusinessRule (too_many_learner_questions).
    """
    tidy = _tidy(text, MAX_QUESTION)
    if module_id is not None:
        await modules.get(tx, course.course_id, module_id)
    await queries.lock_asker(tx, user_id)
    if await queries.count_waiting_of(tx, user_id) >= MAX_WAITING:
        raise BusinessRule("too_many_learner_questions")
    question_id = await queries.insert_question(tx, user_id, course.id, course.course_id, module_id)
    message_id = await queries.insert_message(tx, question_id, 1, user_id, tidy, is_answer=False)
    await _tell_instructors(tx, course.course_id, course.id, message_id)
    return question_id


async def _tell_instructors(tx: Tx, course_id: UUID, enrollment_id: UUID, message_id: UUID) -> None:
    people = await queries.list_recipients(tx, course_id)
    await reminders.make(
        tx, [(each, enrollment_id, "question_waiting") for each in people], message_id=message_id
    )


async def find_for_learner(tx: Tx, question_id: UUID, reader: Reader) -> LearnersQuestion:
    """Returns a question that this learner may see. Raises NotFound (learner_question_not_found)."""
    return await get_row(tx, LEARNERS_QUESTIONS, question_id, reader, missing="learner_question_not_found")


async def follow_up(tx: Tx, reader: Reader, question_id: UUID, text: str) -> None:
    """Adds a message of the learner who asked. A question that was answered waits again, and the instructors
    get a notification.

    Raises Invalid, NotFound (learner_question_not_found), Conflict (learner_question_closed), BusinessRule
    (too_many_messages).
    """
    tidy = _tidy(text, MAX_QUESTION)
    question = await queries.lock_question(tx, question_id)
    if (question.user_id, question.course_id) != (reader.user_id, reader.course_id):
        raise NotFound("learner_question_not_found")
    message_id = await _add(tx, question, reader.user_id, tidy, is_answer=False)
    await queries.set_waiting(tx, question.id)
    if question.state == "ANSWERED":
        await _tell_instructors(tx, question.course_id, question.enrollment_id, message_id)


async def _add(tx: Tx, question: LockedQuestion, author: UUID, text: str, *, is_answer: bool) -> UUID:
    if question.state == "CLOSED":
        raise Conflict("learner_question_closed")
    # Counted after taking the lock, so that we see the previous holder's message.
    number = await queries.count_messages(tx, question.id) + 1
    if number > MAX_MESSAGES:
        raise BusinessRule("too_many_messages")
    return await queries.insert_message(tx, question.id, number, author, text, is_answer=is_answer)


async def find_for_instructor(tx: Tx, question_id: UUID, taught_by: UUID | None) -> ListedQuestion:
    """Returns a question, in a course of this instructor if one is given. Raises NotFound."""
    question = await find_row(tx, QUESTIONS, question_id, taught_by)
    if question is None:
        raise NotFound("learner_question_not_found")
    return question


async def answer(tx: Tx, question_id: UUID, author: UUID, text: str, *, close: bool) -> None:
    """Answers a question and notifies the learner who asked. With `close`, no more messages can follow.

    Raises Invalid, NotFound, Conflict (learner_question_closed), BusinessRule (too_many_messages).
    """
    tidy = _tidy(text, MAX_ANSWER)
    question = await queries.lock_question(tx, question_id)
    message_id = await _add(tx, question, author, tidy, is_answer=True)
    await queries.set_answered(tx, question.id, close=close)
    new = [(question.user_id, question.enrollment_id, "question_answered")]
    await reminders.make(tx, new, message_id=message_id)  # type: ignore[arg-type]
    await audit.record(tx, "learner_question.answered", question.id, user_id=question.user_id)


async def close(tx: Tx, question_id: UUID) -> None:
    """Closes a question, with or without an answer. Raises NotFound, Conflict (learner_question_closed)."""
    question = await queries.lock_question(tx, question_id)
    if question.state == "CLOSED":
        raise Conflict("learner_question_closed")
    await queries.close(tx, question.id)
    await audit.record(tx, "learner_question.closed", question.id, user_id=question.user_id)


async def set_shared(tx: Tx, question_id: UUID, *, shared: bool) -> None:
    """Shows a question to every learner of its course without the asker's name, or hides it again.

    Raises NotFound, BusinessRule (course_shares_no_questions).
    """
    question = await queries.lock_question(tx, question_id)
    if shared and not await queries.may_share(tx, question.course_id):
        raise BusinessRule("course_shares_no_questions")
    await queries.set_shared(tx, question.id, shared=shared)
    action = "learner_question.shared" if shared else "learner_question.hidden"
    await audit.record(tx, action, question.id, user_id=question.user_id)


async def set_sharing(tx: Tx, course_id: UUID, *, allowed: bool) -> None:
    """Sets whether questions of a course may be shown to all of its learners. Raises NotFound
    (course_not_found).
    """
    await courses.get(tx, course_id)
    change = queries.allow_sharing if allowed else queries.forbid_sharing
    if await change(tx, course_id):
        await audit.record(tx, "course.question_sharing_changed", course_id, allowed=allowed)
