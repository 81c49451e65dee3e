"""How far an enrollment is, for people to read."""

from uuid import UUID

from msgspec import structs

from trilha.core.database import Tx
from trilha.learning.completion import queries, rules
from trilha.learning.completion.schema import CompletionStatus, Overview
from trilha.learning.evidence import queries as evidence_queries


async def get_status(tx: Tx, enrollment_id: UUID, course_id: UUID) -> CompletionStatus:
    """How far an enrollment is and what is missing, for people to read."""
    head = await evidence_queries.find_head(tx, enrollment_id)
    course = await queries.get_course(tx, course_id)
    every = await queries.list_progress(tx, enrollment_id)
    seconds = head.credited_seconds if head else 0.0
    return CompletionStatus(
        rules.compute_progress(course.parts, every),
        rules.compute_score(course.parts, every),
        seconds,
        rules.list_unmet_criteria(course.demands, course.parts, every, seconds),
    )


async def get_overview(tx: Tx, enrollment_id: UUID, course_id: UUID) -> Overview:
    """All of a course for whoever looks at an enrollment in it."""
    head = await evidence_queries.find_head(tx, enrollment_id)
    course = await queries.get_course(tx, course_id)
    modules = await queries.list_module_overviews(tx, enrollment_id, course_id)
    every = await queries.list_progress(tx, enrollment_id)
    last = await queries.find_last_module(tx, enrollment_id)
    awaiting = await queries.list_modules_awaiting_grade(tx, enrollment_id)
    return Overview(
        [
            structs.replace(
                each, locked_by=rules.list_locking_modules(course.demands, course.parts, every, each.id)
            )
            for each in modules
        ],
        rules.list_criteria(course.demands, course.parts, every, head.credited_seconds if head else 0.0),
        rules.choose_next_module(course.demands, course.parts, every, last, awaiting),
        awaiting,
    )
