"""How far an enrollment is, for people to read."""

from uuid import UUID

from msgspec import structs

from trilha.core.database import Tx
from trilha.learning.completion import queries, rules
from trilha.learning.completion.schema import Overview, Standing
from trilha.learning.evidence import queries as evidence_queries


async def standing(tx: Tx, enrollment_id: UUID, course_id: UUID) -> Standing:
    """How far an enrollment is and what is missing, for people to read."""
    head = await evidence_queries.find_head(tx, enrollment_id)
    course = await queries.get_course(tx, course_id)
    every = await queries.list_reached(tx, enrollment_id)
    seconds = head.credited_seconds if head else 0.0
    return Standing(
        rules.progress_of(course.parts, every),
        rules.score_of(course.parts, every),
        seconds,
        rules.unmet(course.demands, course.parts, every, seconds),
    )


async def overview(tx: Tx, enrollment_id: UUID, course_id: UUID) -> Overview:
    """All of a course for whoever looks at an enrollment in it."""
    head = await evidence_queries.find_head(tx, enrollment_id)
    course = await queries.get_course(tx, course_id)
    modules = await queries.list_overviews(tx, enrollment_id, course_id)
    every = await queries.list_reached(tx, enrollment_id)
    last = await queries.find_last_module(tx, enrollment_id)
    awaiting = await queries.list_awaiting(tx, enrollment_id)
    return Overview(
        [
            structs.replace(
                each, locked_by=rules.missing_before(course.demands, course.parts, every, each.id)
            )
            for each in modules
        ],
        rules.asked(course.demands, course.parts, every, head.credited_seconds if head else 0.0),
        rules.next_module(course.demands, course.parts, every, last, awaiting),
        awaiting,
    )
