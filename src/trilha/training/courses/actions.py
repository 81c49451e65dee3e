"""Changes to courses."""

from collections.abc import Collection
from uuid import UUID

import msgspec

from trilha.core.database import Tx
from trilha.core.errors import BusinessRule, Conflict
from trilha.platform.audit import queries as audit
from trilha.platform.events.catalogue import CourseArchived, CourseCreated, CourseUpdated
from trilha.platform.events.outbox import emit
from trilha.training.courses import module_actions, module_queries, publishing, queries, quiz_actions, rules
from trilha.training.courses.lessons import queries as lessons
from trilha.training.courses.schema import Course, CoursePatch, NewCourse, Regulation
from trilha.training.courses.translations import queries as translations


async def create(tx: Tx, new: NewCourse) -> Course:
    """Creates a draft with its modules. Raises Conflict (course_slug_exists), and what `ContentCheck.check`
    raises.
    """
    category_id = await queries.ensure_category(tx, new.category) if new.category else None
    course = await queries.insert(tx, new, category_id)
    if course is None:
        raise Conflict("course_slug_exists")
    if new.modules:
        await module_actions.insert(tx, course.id, new.modules)
    await emit(tx, CourseCreated(course_id=course.id, slug=course.slug, status=course.status))
    return course


async def change(tx: Tx, course_id: UUID, patch: CoursePatch) -> Course:
    """Raises NotFound, and Conflict (course_slug_exists, language_exists)."""
    await queries.lock(tx, course_id)
    before = await queries.get_authored(tx, course_id)
    given = {name: getattr(patch, name) for name in patch.__struct_fields__}
    if isinstance(patch.regulation, Regulation):
        given["regulation"] = msgspec.to_builtins(patch.regulation)
    values = {
        name: value
        for name, value in given.items()
        if value is not msgspec.UNSET and value != getattr(before, name)
    }
    if not values:
        return await queries.get(tx, course_id)
    if "language" in values and values["language"] in (await queries.get(tx, course_id)).languages:
        raise Conflict("language_exists")
    if "category" in values:
        name = values.pop("category")
        values["category_id"] = await queries.ensure_category(tx, name) if name else None
    if "regulation" in values:
        await queries.note_change(tx, course_id)
    course = await queries.update(tx, course_id, values)
    await emit(tx, CourseUpdated(course_id=course.id, slug=course.slug, status=course.status))
    return course


async def archive(tx: Tx, course_id: UUID) -> Course:
    """Closes a published course for new enrollments; current learners may finish. No change if it is
    archived.

    Raises NotFound, and BusinessRule (course_is_draft).
    """
    course = await queries.archive(tx, course_id)
    if course is not None:
        await emit(tx, CourseArchived(course_id=course.id, slug=course.slug, status=course.status))
        return course
    course = await queries.get(tx, course_id)
    if course.status == "DRAFT":
        raise BusinessRule("course_is_draft")
    return course


async def restore(tx: Tx, course_id: UUID) -> Course:
    """Reopens an archived course. No change if it is published.

    Raises NotFound, and BusinessRule (course_is_draft, course_without_modules).
    """
    course = await queries.get(tx, course_id)
    if course.status == "DRAFT":
        raise BusinessRule("course_is_draft")
    return await publish(tx, course_id)


async def duplicate(tx: Tx, course_id: UUID, title: str | None = None) -> Course:
    """Creates a draft with copies of the modules and the same instructors, under a new slug. Raises
    NotFound.
    """
    course = await queries.get(tx, course_id)
    slug = await free_slug(tx, course.slug if title is None else rules.slug_of(title))
    copied = await queries.copy(tx, course_id, title or course.title, slug)
    await module_queries.copy(tx, course_id, copied.id)
    await lessons.copy_versions(tx, course_id, copied.id)
    await translations.copy(tx, course_id, copied.id)
    await quiz_actions.copy_all(tx, copied.id)
    await emit(tx, CourseCreated(course_id=copied.id, slug=copied.slug, status=copied.status))
    return await queries.get(tx, copied.id)


async def free_slug(tx: Tx, slug: str) -> str:
    """Returns this slug, or a similar one that no course has."""
    # Replaces the end of a long one with a number.
    return rules.free_slug(slug, await queries.list_slugs(tx, slug[: rules.LONGEST_SLUG - 10]))


async def publish(tx: Tx, course_id: UUID) -> Course:
    """Opens a draft or archived course for enrollment. No change if it is published.

    Raises NotFound, and BusinessRule (course_without_modules, modules_without_minutes).
    """
    await _check_minutes(tx, course_id)
    course = await queries.publish(tx, course_id)
    if course is not None:
        await emit(tx, CourseUpdated(course_id=course.id, slug=course.slug, status=course.status))
        return course
    course = await queries.get(tx, course_id)
    if course.status != "PUBLISHED":
        raise BusinessRule("course_without_modules")
    return course


async def _check_minutes(tx: Tx, course_id: UUID) -> None:
    """Raises NotFound, and BusinessRule (modules_without_minutes)."""
    course = await queries.get_authored(tx, course_id)
    if course.status == "PUBLISHED":
        return
    if publishing.list_without_minutes(course, await module_queries.list_all(tx, course_id)):
        raise BusinessRule("modules_without_minutes")


async def set_teachers(tx: Tx, course_id: UUID, user_ids: Collection[UUID]) -> None:
    """Replaces the course's instructors. Raises NotFound, and BusinessRule (teacher_not_instrutor)."""
    course = await queries.get(tx, course_id)
    changed = await queries.TEACHERS.replace(tx, course_id, user_ids)
    if changed:
        await audit.record(tx, "course.teachers_changed", course_id, course.slug, **changed)
