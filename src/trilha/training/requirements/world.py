"""What the rules of a tenant rest on, loaded once for many people."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain
from uuid import UUID
from zoneinfo import ZoneInfo

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.errors import Invalid
from trilha.people.custom_fields import queries as custom_fields
from trilha.people.custom_fields.schema import CustomField
from trilha.training.enrollments import validity_queries
from trilha.training.enrollments.validity import DEFAULT_WINDOW_DAYS, Terms
from trilha.training.requirements import queries
from trilha.training.requirements.conditions import Node, Person, matches, parse_rule
from trilha.training.requirements.queries import RequiredPath
from trilha.training.requirements.schema import NewRequirement, Requirement

# A course, or a learning path.
Target = tuple[UUID | None, UUID | None]


class LoadedRequirement(Struct, frozen=True, dict=True):
    """A requirement with its parsed rule. The node is None if the rule names a field that was removed; then
    the requirement keeps its people as they are.
    """

    id: UUID
    requirement: Requirement | NewRequirement
    node: Node | None
    active: bool
    course_ids: tuple[UUID, ...]
    path: RequiredPath | None = None

    @cached_property
    def target(self) -> Target:
        return self.requirement.course_id, self.requirement.learning_path_id

    @property
    def is_in_order(self) -> bool:
        """Whether a course of its path opens after the one before."""
        return self.path is not None and self.path.in_order

    def applies_to(self, person: Person, *, applied: bool) -> bool:
        if not self.active or not self.course_ids:
            return False
        return applied if self.node is None else matches(self.node, person)


class World(Struct, frozen=True, dict=True):
    """The requirements, also inactive and deleted ones, and what they rest on."""

    requirements: Sequence[LoadedRequirement]
    parents: Mapping[UUID, UUID | None]
    months: Mapping[UUID, int | None]
    zone: ZoneInfo

    @cached_property
    def by_id(self) -> dict[UUID, LoadedRequirement]:
        return {each.id: each for each in self.requirements}

    @property
    def course_ids(self) -> list[UUID]:
        return sorted(self.months)

    def merge_terms(self, course_id: UUID, applying: Iterable[LoadedRequirement]) -> Terms | None:
        """Merges the terms of all requirements that ask for this course, or returns None if none does."""
        asking = [each.requirement for each in applying if course_id in each.course_ids]
        if not asking:
            return None
        months = [each.renew_months for each in asking if each.renew_months is not None]
        return Terms(
            min(months) if months else self.months.get(course_id),
            max(each.window_days for each in asking),
            self.zone,
        )

    def get_usual_terms(self, course_id: UUID) -> Terms:
        """Returns the terms of a course for people of whom no requirement asks it."""
        return Terms(self.months.get(course_id), DEFAULT_WINDOW_DAYS, self.zone)


async def load_world(tx: Tx, proposed: LoadedRequirement | None = None, also: Collection[UUID] = ()) -> World:
    """Loads the tenant's requirements, and one that is not saved yet. `also` are further courses, which were
    required before.
    """
    stored = await queries.list_with_deleted(tx)
    fields = {each.key: each for each in await custom_fields.list_fields(tx)}
    paths = [each.learning_path_id for each in stored if each.learning_path_id]
    by_id = await queries.list_paths(tx, paths) if paths else {}
    requirements = [_load(each, fields, by_id) for each in stored]
    if proposed is not None:
        requirements.append(proposed)
    course_ids = {*also, *chain.from_iterable(each.course_ids for each in requirements)}
    return World(
        requirements,
        await queries.list_units(tx),
        await queries.list_course_months(tx, list(course_ids)),
        await validity_queries.get_zone(tx),
    )


def _load(
    stored: queries.StoredRequirement,
    fields: Mapping[str, CustomField],
    paths: Mapping[UUID, RequiredPath],
) -> LoadedRequirement:
    node: Node | None
    try:
        node = parse_rule(stored.rule, fields)
    except Invalid:
        node = None
    path = paths.get(stored.learning_path_id) if stored.learning_path_id else None
    course_ids = path.course_ids if path else [stored.course_id] if stored.course_id else []
    active = stored.active and stored.deleted_at is None
    return LoadedRequirement(stored.id, stored, node, active, tuple(course_ids), path)
