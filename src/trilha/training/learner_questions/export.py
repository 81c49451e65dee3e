"""The log of questions and answers as a CSV file, for inspectors. It has no texts."""

import codecs
from collections.abc import AsyncIterator
from datetime import datetime
from uuid import UUID

from trilha.core.database import Reading
from trilha.core.lists import read_pages
from trilha.core.spreadsheets import csv_lines
from trilha.people.users.workplaces import Workplace, list_workplaces
from trilha.training.learner_questions.lists import QUESTIONS
from trilha.training.learner_questions.schema import ListedQuestion, QuestionSearch

COLUMNS = (
    *("question_id", "asked_at", "person", "employee_number", "business_unit", "manager", "course", "module"),
    *("state", "first_answer_at", "minutes_to_first_answer", "answered_by", "closed_at"),
)


async def stream(
    reading: Reading, query: QuestionSearch, taught_by: UUID | None, separator: str = ","
) -> AsyncIterator[bytes]:
    """Yields the questions that match `query` as CSV (RFC 4180, UTF-8 with a byte order mark for Excel)."""
    yield codecs.BOM_UTF8 + csv_lines([COLUMNS], separator).encode()
    async for questions in read_pages(reading, QUESTIONS, query, taught_by):
        if questions:
            async with reading() as tx:
                workplaces = await list_workplaces(tx, [each.user_id for each in questions])
            rows = [_write_row(each, workplaces[each.user_id]) for each in questions]
            yield csv_lines(rows, separator).encode()


def _write_row(question: ListedQuestion, workplace: Workplace) -> list[object]:
    minutes = measure_minutes(question)
    values = [
        *(question.id, question.created_at, question.user_name),
        *(workplace.employee_number, workplace.unit, workplace.managers, question.course_title),
        *(question.module_title, question.state, question.answered_at, minutes),
        *(question.answered_by, question.closed_at),
    ]
    return ["" if value is None else value for value in values]


def measure_minutes(question: ListedQuestion) -> int | None:
    """Returns the time to the first answer, in whole minutes."""
    if question.answered_at is None:
        return None
    asked, answered = map(datetime.fromisoformat, (question.created_at, question.answered_at))
    return int((answered - asked).total_seconds() // 60)
