"""Changes to the question bank. Each is in the audit log, without the questions' texts."""

from collections.abc import Sequence
from uuid import UUID

from msgspec import structs

from trilha.core.database import Tx
from trilha.core.errors import BusinessRule, Forbidden
from trilha.platform.audit import queries as audit
from trilha.training.courses import quiz_actions
from trilha.training.question_bank import queries, tags
from trilha.training.question_bank.schema import MAX_BANK_QUESTIONS, BankQuestion
from trilha.training.quizzes import queries as quizzes
from trilha.training.quizzes.actions import give_ids
from trilha.training.quizzes.schema import MAX_TAGS, NewQuestion


async def add(
    tx: Tx, questions: Sequence[tuple[NewQuestion, Sequence[str]]], author_id: UUID | None
) -> list[UUID]:
    """Adds questions with their tags. Raises BusinessRule (question_bank_full)."""
    if not questions:
        return []
    return await _insert(tx, [(give_ids(question), names) for question, names in questions], author_id)


async def _insert(
    tx: Tx, questions: Sequence[tuple[NewQuestion, Sequence[str]]], author_id: UUID | None
) -> list[UUID]:
    await queries.lock_bank(tx)
    if await queries.count(tx) + len(questions) > MAX_BANK_QUESTIONS:
        raise BusinessRule("question_bank_full")
    ids = await queries.insert(tx, [question for question, _ in questions], author_id)
    pairs = [(id, tag) for id, (_, names) in zip(ids, questions, strict=True) for tag in tags.limit(names)]
    if pairs:
        await queries.add_tags(tx, pairs)
    await audit.record(tx, "bank_question.created", ids[0] if len(ids) == 1 else None, questions=len(ids))
    return ids


async def change(
    tx: Tx, question_id: UUID, question: NewQuestion, names: Sequence[str], editor: UUID | None
) -> None:
    """Changes a question and its tags. Copies in quizzes stay as they are. `editor` is the instructor who
    changes it, or None for an administrator.

    Raises NotFound and Forbidden (not_permitted).
    """
    await queries.lock(tx, [question_id])
    before = await queries.get(tx, question_id)
    check_author(before, editor)
    changed = give_ids(structs.replace(question, kind=before.question.kind, pool=""), before.question)
    await queries.update(tx, question_id, changed)
    await queries.remove_tags(tx, question_id)
    if names := tags.limit(names):
        await queries.add_tags(tx, [(question_id, name) for name in names])
    await audit.record(tx, "bank_question.updated", question_id)


def check_author(question: BankQuestion, editor: UUID | None) -> None:
    """Instructors change their own questions, administrators (None) all. Raises Forbidden (not_permitted)."""
    if editor is not None and question.author_id != editor:
        raise Forbidden("not_permitted")


async def tag_all(tx: Tx, ids: Sequence[UUID], names: Sequence[str], editor: UUID | None) -> int:
    """Adds tags to the questions that the editor may change and that have room for them; returns their
    number.
    """
    added = tags.limit(names)
    own = await _lock_own(tx, ids, editor)
    questions = [each for each in own if len({*each.tags, *added}) <= MAX_TAGS]
    if questions and added:
        await queries.add_tags(tx, [(each.id, name) for each in questions for name in added])
        await audit.record(tx, "bank_question.updated", _get_only(questions), questions=len(questions))
    return len(questions)


async def set_archived(tx: Tx, ids: Sequence[UUID], editor: UUID | None, *, archived: bool) -> int:
    """Archives questions, or restores them; returns how many of them changed. Quizzes keep their copies."""
    questions = await _lock_own(tx, ids, editor)
    changed = await queries.set_archived(tx, [each.id for each in questions], archived=archived)
    if changed:
        action = "bank_question.archived" if archived else "bank_question.restored"
        await audit.record(tx, action, _get_only(questions), questions=changed)
    return changed


async def _lock_own(tx: Tx, ids: Sequence[UUID], editor: UUID | None) -> list[BankQuestion]:
    await queries.lock(tx, ids)
    return [each for each in await queries.list_by_ids(tx, ids) if editor in (None, each.author_id)]


def _get_only(questions: Sequence[BankQuestion]) -> UUID | None:
    return questions[0].id if len(questions) == 1 else None


async def copy_to_quiz(tx: Tx, course_id: UUID, module_id: UUID, ids: Sequence[UUID]) -> int:
    """Adds copies of questions to a quiz, without those that it has and archived ones; returns their number.

    Raises NotFound, and BusinessRule (too_many_questions).
    """
    offered = [each.question for each in await queries.list_by_ids(tx, ids) if each.archived_at is None]
    return await quiz_actions.add_bank_questions(tx, course_id, module_id, offered)


async def copy_from_quiz(
    tx: Tx, course_id: UUID, module_id: UUID, question_id: UUID, author_id: UUID, names: Sequence[str]
) -> UUID:
    """Adds a question of a quiz to the bank, and links the two. Raises NotFound, and BusinessRule
    (question_bank_full).
    """
    quiz_id = await quiz_actions.lock_quiz(tx, course_id, module_id)
    question = await quizzes.get_question(tx, quiz_id, question_id)
    if question.bank_question_id is not None:
        return question.bank_question_id
    # Both have the same ids of choices, so that answers can be counted together.
    (made,) = await _insert(tx, [(question, names)], author_id)
    await quizzes.link_to_bank(tx, question_id, made)
    return made
