"""Changes to learning paths. Each is written to the audit log."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from msgspec import UNSET

from trilha.core.database import Tx
from trilha.core.errors import BusinessRule, Conflict, NotFound
from trilha.platform.audit import queries as audit
from trilha.training.courses import rules as course_rules
from trilha.training.learning_paths import assignments, queries, rollouts, rules
from trilha.training.learning_paths.schema import LearningPath, NewPath, PathPatch


async def create(tx: Tx, new: NewPath, course_ids: Sequence[UUID] = ()) -> LearningPath:
    """Creates a draft. Raises Conflict (learning_path_slug_exists), and what `set_courses` raises."""
    slug = new.slug or await free_slug(tx, course_rules.slug_of(new.title))
    path = await queries.insert(tx, new, slug)
    if path is None:
        raise Conflict("learning_path_slug_exists")
    await audit.record(tx, "learning_path.created", path.id, path.slug)
    if course_ids:
        await set_courses(tx, path.id, course_ids)
    return path


async def free_slug(tx: Tx, slug: str) -> str:
    """Returns this slug, or a similar one that no path has."""
    taken = await queries.list_slugs(tx, slug[: course_rules.LONGEST_SLUG - 10])
    return course_rules.free_slug(slug, taken)


async def change(tx: Tx, path_id: UUID, patch: PathPatch) -> LearningPath:
    """Changes a path. A new deadline applies to assignments from now on.

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
    """Sets the courses and their order. People on the path are enrolled in new courses.

    Raises NotFound (learning_path_not_found, course_not_found), BusinessRule (learning_path_without_courses,
    too_many_courses).
    """
    path = await queries.lock(tx, path_id)
    wanted = list(dict.fromkeys(course_ids))
    if wanted == [each.id for each in await queries.list_courses(tx, path_id)]:
        return
    if not wanted and path.status == "PUBLISHED":
        raise BusinessRule("learning_path_without_courses")
    if len(wanted) > rules.MAX_COURSES:
        raise BusinessRule("too_many_courses")
    await queries.set_courses(tx, path_id, wanted)
    await queries.update(tx, path_id, {})
    await audit.record(tx, "learning_path.courses_changed", path_id, path.slug, courses=wanted)
    await _roll_out_to_assigned(tx, path)


async def _roll_out_to_assigned(tx: Tx, path: LearningPath) -> None:
    if path.status != "DRAFT":
        await rollouts.insert(tx, path.id, "ASSIGNED")


async def publish(tx: Tx, path_id: UUID) -> LearningPath:
    """Publishes a draft or an archived path. No change if it is published.

    People who joined its groups and units meanwhile are assigned. Raises NotFound, and BusinessRule
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
    """Stops new assignments; people on the path may finish. No change if it is archived.

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
    """Starts a rollout to these people. Raises NotFound, and BusinessRule (learning_path_not_published)."""
    await _get_published(tx, path_id)
    if user_ids:
        await rollouts.insert(tx, path_id, "PEOPLE", people=sorted(set(user_ids)))


async def assign_group(tx: Tx, path_id: UUID, group_id: UUID) -> bool:
    """Assigns the group's present and future members; returns False if it was assigned already. Raises what
    `assign_people` raises.
    """
    path = await _get_published(tx, path_id)
    if not await queries.add_audience(tx, path_id, group_id=group_id):
        return False
    await rollouts.insert(tx, path_id, "GROUP", group_id=group_id)
    await audit.record(tx, "learning_path.audience_added", path_id, path.slug, group_id=group_id)
    return True


async def assign_unit(tx: Tx, path_id: UUID, unit_id: UUID) -> bool:
    """Assigns the present and future people of a unit and the units below it, as `assign_group` does."""
    path = await _get_published(tx, path_id)
    if not await queries.add_audience(tx, path_id, unit_id=unit_id):
        return False
    await rollouts.insert(tx, path_id, "UNIT", unit_id=unit_id)
    await audit.record(tx, "learning_path.audience_added", path_id, path.slug, business_unit_id=unit_id)
    return True


async def remove_audience(tx: Tx, path_id: UUID, audience_id: UUID) -> None:
    """Stops assigning people who join later; present assignments stay. Raises NotFound."""
    path = await queries.get(tx, path_id)
    if not await queries.remove_audience(tx, path_id, audience_id):
        raise NotFound("learning_path_not_found")
    await audit.record(tx, "learning_path.audience_removed", path_id, path.slug, audience_id=audience_id)


async def withdraw(tx: Tx, path_id: UUID, user_id: UUID) -> None:
    """Removes a person from the path; their enrollments stay. Raises NotFound."""
    path = await queries.get(tx, path_id)
    if not await assignments.delete(tx, path_id, user_id):
        raise NotFound("user_not_found")
    await audit.record(tx, "learning_path.withdrawn", path_id, path.slug, user_id=user_id)


async def try_again(tx: Tx, path_id: UUID) -> None:
    """Retries everybody on the path, because problems may be solved by now. Raises NotFound."""
    await queries.get(tx, path_id)
    await rollouts.insert(tx, path_id, "ASSIGNED")


async def _get_published(tx: Tx, path_id: UUID) -> LearningPath:
    path = await queries.get(tx, path_id)
    if path.status != "PUBLISHED":
        raise BusinessRule("learning_path_not_published")
    return path
