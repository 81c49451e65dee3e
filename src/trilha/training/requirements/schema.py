"""Structs of requirements."""

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Annotated, Any, get_args
from uuid import UUID

from msgspec import UNSET, Meta, Struct, UnsetType

from trilha.core.errors import Problem, problem
from trilha.core.moments import IsoDay
from trilha.core.types import Choice, Timestamp, Title
from trilha.core.web.pagination import Cursor, ListQuery, PageSize
from trilha.training.requirements.standing import State

_RULE_MEANS = (
    "Who must be trained. A node is `{all: [...]}`, `{any: [...]}`, `{not: node}` or a condition "
    "`{field, op, value}`. `{all: []}` is everybody."
)
_EXAMPLE = {
    "all": [
        {"field": "job_title", "op": "eq", "value": "Eletricista"},
        {"not": {"field": "role", "op": "eq", "value": "instrutor"}},
    ]
}
Rule = Annotated[
    dict[str, Any],
    Meta(
        description=_RULE_MEANS,
        examples=[_EXAMPLE],
        extra_json_schema={"additionalProperties": True},
    ),
]
DueDays = Annotated[int, Meta(ge=0, le=36_500, examples=[30])]
RenewMonths = Annotated[int, Meta(ge=1, le=1200, examples=[24])]
WindowDays = Annotated[int, Meta(ge=1, le=365, examples=[60])]
DEFAULT_WINDOW_DAYS = 60


class DueOn(IsoDay):
    """The day until whose end a requirement must be met, YYYY-MM-DD, in the company's time zone."""

    __slots__ = ()
    schema = {"type": "string", "format": "date", "examples": ["2027-06-30"]}


class NewRequirement(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A requirement has either a course or a learning path, and either `due_days` or `due_on`."""

    title: Title
    rule: Rule
    course_id: UUID | None = None
    learning_path_id: UUID | None = None
    due_days: DueDays | None = None
    due_on: DueOn | None = None
    renew_months: RenewMonths | None = None
    window_days: WindowDays = DEFAULT_WINDOW_DAYS
    active: bool = True
    cancel_not_started: bool = False

    @staticmethod
    def problems(values: Mapping[str, Any], today: date) -> Iterator[Problem]:
        yield from check_pairs(values)


def check_pairs(values: Mapping[str, Any]) -> Iterator[Problem]:
    """Yields the problems of the members of which exactly one must be set."""
    if (values.get("course_id") is None) is (values.get("learning_path_id") is None):
        yield problem("course_id", "one_target")
    if (values.get("due_days") is None) is (values.get("due_on") is None):
        yield problem("due_days", "one_due_date")


class RequirementPatch(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Members that are left out do not change. To change one of a pair for the other, set both: one of them
    to null.
    """

    title: Title | UnsetType = UNSET
    rule: Rule | UnsetType = UNSET
    course_id: UUID | None | UnsetType = UNSET
    learning_path_id: UUID | None | UnsetType = UNSET
    due_days: DueDays | None | UnsetType = UNSET
    due_on: DueOn | None | UnsetType = UNSET
    renew_months: RenewMonths | None | UnsetType = UNSET
    window_days: WindowDays | UnsetType = UNSET
    active: bool | UnsetType = UNSET
    cancel_not_started: bool | UnsetType = UNSET


class Requirement(Struct, frozen=True):
    """People who must hold a course or a learning path, and by when."""

    id: UUID
    title: Annotated[str, Meta(examples=["NR-35 para a manutenção"])]
    rule: Rule
    course_id: UUID | None
    learning_path_id: UUID | None
    due_days: DueDays | None
    due_on: Annotated[str, Meta(examples=["2027-06-30"])] | None
    renew_months: RenewMonths | None
    window_days: WindowDays
    active: bool
    cancel_not_started: bool
    created_at: Timestamp
    updated_at: Timestamp


class StateFilter(Choice):
    """One state, in upper or lower case."""

    __slots__ = ()
    schema = {"type": "string", "enum": [*get_args(State)], "examples": ["OVERDUE"]}

    @classmethod
    def normalise(cls, text: str) -> str:
        return super().normalise(text.upper())


class PeopleQuery(ListQuery, frozen=True, kw_only=True):
    state: Annotated[StateFilter, Meta(description="Returns people in this state.")] | None = None


class PersonRequirement(Struct, frozen=True):
    """Where a person stands with a requirement. `because` says why it applies."""

    requirement_id: UUID
    state: State
    due_at: Timestamp | None
    valid_until: Timestamp | None
    enrollment_id: UUID | None
    because: Annotated[str, Meta(examples=["Required by “NR-35”: job title is Eletricista."])]


class RequirementPerson(PersonRequirement, frozen=True):
    user_id: UUID


class PreviewRow(Struct, frozen=True):
    """What a requirement would mean for one person. `enroll_at` is when they would be enrolled: now, when
    the renewal window opens, or null if they are enrolled already or never need to be.
    """

    user_id: UUID
    holds: bool
    valid_until: Timestamp | None
    enroll_at: Timestamp | None
    due_at: Timestamp | None


Count = Annotated[int, Meta(ge=0, examples=[12])]


class PreviewTotals(Struct, frozen=True):
    """Counts of the whole preview: `to_enroll` are people who would be enrolled at once."""

    people: Count
    holding: Count
    to_enroll: Count


class PreviewPage(Struct, frozen=True):
    data: list[PreviewRow]
    next_cursor: Cursor | None
    has_more: bool
    limit: PageSize
    _meta: PreviewTotals
