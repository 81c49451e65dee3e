"""Changes to requirements. Each is written to the audit log; the worker then brings people up to date."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from msgspec import UNSET, structs

import trilha.training.requirements.errors  # noqa: F401
from trilha.core.database import Tx
from trilha.core.errors import Invalid, NotFound, invalid
from trilha.people.custom_fields import queries as custom_fields
from trilha.people.users import queries as users
from trilha.platform.audit import queries as audit
from trilha.training.courses import queries as courses
from trilha.training.enrollments import validity_queries
from trilha.training.learning_paths import queries as paths
from trilha.training.requirements import excuse_queries, extension_queries, queries
from trilha.training.requirements.conditions import Condition, Node, list_conditions, parse_rule
from trilha.training.requirements.schema import (
    NewRequirement,
    Requirement,
    RequirementPatch,
    check_pairs,
)
from trilha.training.requirements.standing import END_OF_DAY


async def create(tx: Tx, new: NewRequirement) -> Requirement:
    """Raises Invalid for a wrong rule, NotFound (course_not_found, learning_path_not_found)."""
    await custom_fields.keep_fields(tx)
    await check_rule(tx, new.rule)
    await check_target(tx, new.course_id, new.learning_path_id)
    requirement = await queries.insert(tx, new)
    await queries.start_engine(tx)
    await audit.record(tx, "requirement.created", requirement.id, requirement.title)
    return requirement


async def change(tx: Tx, requirement_id: UUID, patch: RequirementPatch) -> Requirement:
    """Changes a requirement. The days until it is due do not begin anew. Raises what `create` raises, and
    NotFound (requirement_not_found).
    """
    before = await queries.get_for_update(tx, requirement_id)
    values: dict[str, Any] = {
        name: value
        for name in patch.__struct_fields__
        if (value := getattr(patch, name)) is not UNSET and value != getattr(before, name)
    }
    if problems := list(check_pairs(structs.asdict(before) | values)):
        raise Invalid(problems)
    if not values:
        return before
    if "rule" in values:
        await custom_fields.keep_fields(tx)
        await check_rule(tx, values["rule"])
    await check_target(tx, values.get("course_id"), values.get("learning_path_id"))
    requirement = await queries.update(tx, requirement_id, values)
    await queries.start_engine(tx)
    await audit.record(tx, "requirement.updated", requirement_id, requirement.title, changed=list(values))
    return requirement


async def delete(tx: Tx, requirement_id: UUID) -> None:
    """Deletes a requirement. The worker releases its people. Raises NotFound."""
    requirement = await queries.get_for_update(tx, requirement_id)
    await queries.mark_deleted(tx, requirement_id)
    await queries.start_engine(tx)
    await audit.record(tx, "requirement.deleted", requirement_id, requirement.title)


async def check_target(tx: Tx, course_id: UUID | None, path_id: UUID | None) -> None:
    """Raises NotFound if the course or the path does not exist."""
    if course_id is not None and not await courses.list_enrollable(tx, [course_id]):
        raise NotFound("course_not_found")
    if path_id is not None:
        await paths.get(tx, path_id)


async def check_rule(tx: Tx, rule: Mapping[str, Any]) -> Node:
    """Parses a rule and checks that its units and groups exist. Raises Invalid."""
    fields = {each.key: each for each in await custom_fields.list_fields(tx)}
    node = parse_rule(rule, fields)
    conditions = list(list_conditions(node))
    units = _list_ids(conditions, "business_unit_id")
    if missing := units - await queries.list_known_units(tx, list(units)) if units else None:
        raise invalid(_find_place(conditions, "business_unit_id", missing), "unknown_business_unit")
    groups = _list_ids(conditions, "learning_group_id")
    if missing := groups - await queries.list_known_groups(tx, list(groups)) if groups else None:
        raise invalid(_find_place(conditions, "learning_group_id", missing), "unknown_learning_group")
    return node


def _list_ids(conditions: Iterable[Condition], field: str) -> set[UUID]:
    return {UUID(str(value)) for each in conditions if each.field == field for value in each.values}


def _find_place(conditions: Iterable[Condition], field: str, missing: set[UUID]) -> str:
    """Returns the path of the first value that names one of these ids."""
    texts = {str(each) for each in missing}
    return next(each.at for each in conditions if each.field == field and not texts.isdisjoint(each.values))


async def extend(tx: Tx, requirement_id: UUID, user_id: UUID, days: int) -> None:
    """Gives a person more time, until the end of the day in this many days. Raises NotFound."""
    requirement = await queries.get(tx, requirement_id)
    await users.get(tx, user_id)
    zone = await validity_queries.get_zone(tx)
    day = tx.now.astimezone(zone).date() + timedelta(days=days)
    await extension_queries.put(tx, requirement_id, user_id, datetime.combine(day, END_OF_DAY, zone))
    await queries.put_in_line(tx, [user_id])
    await audit.record(tx, "requirement.extended", requirement_id, requirement.title, user_id=user_id)


async def restore_due_date(tx: Tx, requirement_id: UUID, user_id: UUID, due_at: datetime | None) -> None:
    """Gives a person back an earlier due date of their own, or that of the rule (None). Raises NotFound."""
    requirement = await queries.get(tx, requirement_id)
    if due_at is None:
        await extension_queries.delete(tx, requirement_id, user_id)
    else:
        await extension_queries.put(tx, requirement_id, user_id, due_at)
    await queries.put_in_line(tx, [user_id])
    await audit.record(tx, "requirement.extended", requirement_id, requirement.title, user_id=user_id)


async def excuse(tx: Tx, requirement_id: UUID, user_id: UUID, reason: str, until: datetime | None) -> None:
    """Excuses a person from a requirement, until a time or for good. Raises NotFound, Invalid
    (not_in_future).
    """
    requirement = await queries.get(tx, requirement_id)
    await users.get(tx, user_id)
    if until is not None and until <= tx.now:
        raise invalid("until", "not_in_future")
    await excuse_queries.put(tx, requirement_id, user_id, reason, until)
    await queries.put_in_line(tx, [user_id])
    await audit.record(tx, "requirement.excused", requirement_id, requirement.title, user_id=user_id)


async def end_excuse(tx: Tx, requirement_id: UUID, user_id: UUID) -> None:
    """Ends an excuse. No change if there is none. Raises NotFound."""
    requirement = await queries.get(tx, requirement_id)
    if await excuse_queries.delete(tx, requirement_id, user_id):
        await queries.put_in_line(tx, [user_id])
        await audit.record(tx, "requirement.excuse_ended", requirement_id, requirement.title, user_id=user_id)
