"""What can be done to a learning path. Each change is on the audit record."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from msgspec import UNSET

from trilha.audit import queries as audit
from trilha.core.database import Tx
from trilha.core.errors import BusinessRule, Conflict, NotFound
from trilha.courses import rules as course_rules
from trilha.learning_paths import assignments, queries, rollouts, rules
from trilha.learning_paths.schema import LearningPath, NewPath, PathPatch


async def create(tx: Tx, new: NewPath, course_ids: Sequence[UUID] = ()) -> LearningPath:
    """A draft. Raises Conflict (learning_path_slug_exists), and as `set_courses`."""
    slug = new.slug or await free_slug(tx, course_rules.slug_of(new.title))
    path = await queries.insert(tx, new, slug)
    if path is None:
        raise Conflict("learning_path_slug_exists")
    await audit.record(tx, "learning_path.created", path.id, path.slug)
    if course_ids:
        await set_courses(tx, path.id, course_ids)
    return path


async def free_slug(tx: Tx, slug: str) -> str:
    """This one, or one like it that no path has."""
    taken = await queries.list_slugs(tx, slug[: course_rules.LONGEST_SLUG - 10])
    return course_rules.free_slug(slug, taken)


async def change(tx: Tx, path_id: UUID, patch: PathPatch) -> LearningPath:
    """Another deadline is for those who are assigned from now on.

    Raises NotFound, and Conflict (learning_path_slug_exists).
    """
    before = await queries.lock(tx, path_id)
    values: dict[str, Any] = {
        name: value
        for name in patch.__struct_fields__
        if (value := getattr(patch, name)) is not UNSET and value != getattr(before, name)
    }
    if not values:
        return before
    path = await queries.update(tx, path_id, values)
    await audit.record(tx, "learning_path.updated", path_id, path.slug, changed=list(values))
    if "in_order" in values:
        await _roll_out_to_assigned(tx, path)
    return path


async def set_courses(tx: Tx, path_id: UUID, course_ids: Sequence[UUID]) -> None:
    """Those, in this order. Who is on the path is enrolled in what is new.

    Raises NotFound (learning_path_not_found, course_not_found), BusinessRule (learning_path_without_courses,
    too_many_courses).
    """
    path = await queries.lock(tx, path_id)
    wanted = list(dict.fromkeys(course_ids))
    if wanted == [each.id for each in await queries.list_courses(tx, path_id)]:
        return
    if not wanted and path.status == "PUBLISHED":
        raise BusinessRule("learning_path_without_courses")
    if len(wanted) > rules.MOST_COURSES:
        raise BusinessRule("too_many_courses")
    await queries.set_courses(tx, path_id, wanted)
    await queries.update(tx, path_id, {})
    await audit.record(tx, "learning_path.courses_changed", path_id, path.slug, courses=wanted)
    await _roll_out_to_assigned(tx, path)


async def _roll_out_to_assigned(tx: Tx, path: LearningPath) -> None:
    if path.status != "DRAFT":
        await rollouts.insert(tx, path.id, "ASSIGNED")


async def publish(tx: Tx, path_id: UUID) -> LearningPath:
    """Opens a draft or an archived one; a published one stays as it is.

    Who came into its groups and units meanwhile is assigned. Raises NotFound, and BusinessRule
    (learning_path_without_courses).
    """
    path = await queries.publish(tx, path_id)
    if path is not None:
        await audit.record(tx, "learning_path.published", path.id, path.slug)
        await rollouts.insert_of_audiences(tx, path_id)
        return path
    path = await queries.get(tx, path_id)
    if path.status != "PUBLISHED":
        raise BusinessRule("learning_path_without_courses")
    return path


async def archive(tx: Tx, path_id: UUID) -> LearningPath:
    """Nobody else is assigned; who is on it goes on. An archived one stays as it is.

    Raises NotFound, and BusinessRule (learning_path_is_draft).
    """
    path = await queries.archive(tx, path_id)
    if path is not None:
        await audit.record(tx, "learning_path.archived", path.id, path.slug)
        return path
    path = await queries.get(tx, path_id)
    if path.status == "DRAFT":
        raise BusinessRule("learning_path_is_draft")
    return path


async def assign_people(tx: Tx, path_id: UUID, user_ids: Sequence[UUID]) -> None:
    """The worker assigns them. Raises NotFound, and BusinessRule (learning_path_not_published)."""
    await _get_published(tx, path_id)
    if user_ids:
        await rollouts.insert(tx, path_id, "PEOPLE", people=sorted(set(user_ids)))


async def assign_group(tx: Tx, path_id: UUID, group_id: UUID) -> bool:
    """Its members, and who becomes one; False where that is so already. Raises as `assign_people`."""
    path = await _get_published(tx, path_id)
    if not await queries.add_audience(tx, path_id, group_id=group_id):
        return False
    await rollouts.insert(tx, path_id, "GROUP", group_id=group_id)
    await audit.record(tx, "learning_path.audience_added", path_id, path.slug, group_id=group_id)
    return True


async def assign_unit(tx: Tx, path_id: UUID, unit_id: UUID) -> bool:
    """The people of it and of all units below, and who comes there. As `assign_group`."""
    path = await _get_published(tx, path_id)
    if not await queries.add_audience(tx, path_id, unit_id=unit_id):
        return False
    await rollouts.insert(tx, path_id, "UNIT", unit_id=unit_id)
    await audit.record(tx, "learning_path.audience_added", path_id, path.slug, business_unit_id=unit_id)
    return True


async def remove_audience(tx: Tx, path_id: UUID, audience_id: UUID) -> None:
    """Who comes later is not assigned any more; who was assigned stays. Raises NotFound."""
    path = await queries.get(tx, path_id)
    if not await queries.remove_audience(tx, path_id, audience_id):
        raise NotFound("learning_path_not_found")
    await audit.record(tx, "learning_path.audience_removed", path_id, path.slug, audience_id=audience_id)


async def withdraw(tx: Tx, path_id: UUID, user_id: UUID) -> None:
    """The person is not on the path any more, and keeps every enrollment. Raises NotFound."""
    path = await queries.get(tx, path_id)
    if not await assignments.delete(tx, path_id, user_id):
        raise NotFound("user_not_found")
    await audit.record(tx, "learning_path.withdrawn", path_id, path.slug, user_id=user_id)


async def try_again(tx: Tx, path_id: UUID) -> None:
    """Looks again at everybody on the path: what was in the way may be gone. Raises NotFound."""
    await queries.get(tx, path_id)
    await rollouts.insert(tx, path_id, "ASSIGNED")


async def _get_published(tx: Tx, path_id: UUID) -> LearningPath:
    path = await queries.get(tx, path_id)
    if path.status != "PUBLISHED":
        raise BusinessRule("learning_path_not_published")
    return path
