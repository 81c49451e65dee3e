"""Reads how far an enrollment is, and what is missing."""

from uuid import UUID

from msgspec import structs

from trilha.core.database import Tx
from trilha.training.learning.completion import queries, rules
from trilha.training.learning.completion.schema import Overview
from trilha.training.learning.evidence import queries as evidence_queries


async def get_overview(tx: Tx, enrollment_id: UUID, course_id: UUID, language: str = "") -> Overview:
    """Returns all modules and criteria of a course, as the learner and the administrator see them. The
    modules' titles are in a `language` of the course where they are translated.
    """
    head = await evidence_queries.find_head(tx, enrollment_id)
    modules = await queries.list_module_overviews(tx, enrollment_id, course_id, language)
    whole = await queries.get_course_progress(tx, enrollment_id, course_id)
    course, progress = whole.course, whole.modules
    last = await queries.find_last_module(tx, enrollment_id)
    awaiting_grade = await queries.list_modules_awaiting_grade(tx, enrollment_id)
    return Overview(
        [
            structs.replace(module, locked_by=rules.list_locking_modules(course, progress, module.id))
            for module in modules
        ],
        rules.list_criteria(course, progress, head.credited_seconds if head else 0.0),
        rules.choose_next_module(course, progress, last, awaiting_grade),
        awaiting_grade,
    )
