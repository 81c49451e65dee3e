"""What can be done to a course."""

from collections.abc import Collection
from uuid import UUID

from trilha.audit import queries as audit
from trilha.core.database import Tx
from trilha.core.errors import BusinessRule, Conflict
from trilha.courses import queries
from trilha.courses.schema import Course, NewCourse
from trilha.events.catalogue import CourseCreated, CourseUpdated
from trilha.events.outbox import emit


async def create(tx: Tx, new: NewCourse) -> Course:
    """A draft with its modules. Raises Conflict (course_slug_exists)."""
    category_id = await queries.ensure_category(tx, new.category) if new.category else None
    course = await queries.insert(tx, new, category_id)
    if course is None:
        raise Conflict("course_slug_exists")
    await queries.insert_modules(tx, course.id, new)
    await emit(tx, CourseCreated(course_id=course.id, slug=course.slug, status=course.status))
    return course


async def publish(tx: Tx, course_id: UUID) -> Course:
    """Opens a draft or archived course for enrollment; a published one stays as it is.

    Raises NotFound, and BusinessRule (course_without_modules).
    """
    course = await queries.publish(tx, course_id)
    if course is not None:
        await emit(tx, CourseUpdated(course_id=course.id, slug=course.slug, status=course.status))
        return course
    course = await queries.get(tx, course_id)
    if course.status != "PUBLISHED":
        raise BusinessRule("course_without_modules")
    return course


async def set_teachers(tx: Tx, course_id: UUID, user_ids: Collection[UUID]) -> None:
    """Those, and nobody else. Raises NotFound, and BusinessRule (teacher_not_instrutor)."""
    course = await queries.get(tx, course_id)
    changed = await queries.TEACHERS.replace(tx, course_id, user_ids)
    if changed:
        await audit.record(tx, "course.teachers_changed", course_id, course.slug, **changed)
