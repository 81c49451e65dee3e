"""The form of a requirement. It writes simple rules: all of its conditions must be met."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal
from uuid import UUID

from msgspec import Meta, Struct

from trilha.core.types import STORABLE, Title
from trilha.people.users.schema import Role
from trilha.training.requirements.schema import (
    DEFAULT_WINDOW_DAYS,
    DueDays,
    DueOn,
    NewRequirement,
    RenewMonths,
    Requirement,
    WindowDays,
)

Text = Annotated[str, Meta(max_length=200, extra_json_schema=STORABLE)]
# Each field of the form, with the condition that it writes.
_CONDITIONS: Mapping[str, tuple[str, str]] = {
    "unit_id": ("business_unit_id", "under"),
    "department": ("department", "eq"),
    "job_title": ("job_title", "starts_with"),
    "role": ("role", "eq"),
    "group_id": ("learning_group_id", "eq"),
}


class RequirementForm(Struct, frozen=True, kw_only=True):
    """Empty conditions are left out; without any, the requirement is for everybody. With `step` preview,
    nothing is saved.
    """

    title: Title
    course_id: UUID | None = None
    learning_path_id: UUID | None = None
    unit_id: UUID | None = None
    department: Text | None = None
    job_title: Text | None = None
    role: Role | None = None
    group_id: UUID | None = None
    due_days: DueDays | None = None
    due_on: DueOn | None = None
    renew_months: RenewMonths | None = None
    window_days: WindowDays = DEFAULT_WINDOW_DAYS
    cancel_not_started: bool = False
    step: Literal["preview", "save"] = "preview"

    def build(self) -> NewRequirement:
        """Returns the requirement. Raises Invalid."""
        members = {name: getattr(self, name) for name in _MEMBERS}
        return NewRequirement(**members, rule={"all": list(self._list_conditions())})

    def _list_conditions(self) -> Iterator[dict[str, str]]:
        for name, (field, op) in _CONDITIONS.items():
            value = getattr(self, name)
            if value:
                yield {"field": field, "op": op, "value": str(value)}


_MEMBERS = (
    *("title", "course_id", "learning_path_id", "due_days", "due_on", "renew_months", "window_days"),
    "cancel_not_started",
)


def read_values(requirement: Requirement) -> dict[str, Any] | None:
    """Returns the form's values for a requirement, or None if its rule is not one that the form writes."""
    values: dict[str, Any] = {name: getattr(requirement, name) for name in _MEMBERS}
    by_condition = {condition: name for name, condition in _CONDITIONS.items()}
    conditions = requirement.rule.get("all")
    if not isinstance(conditions, list):
        return None
    for each in conditions:
        name = by_condition.get((each.get("field"), each.get("op")))
        if name is None or name in values:
            return None
        values[name] = each["value"]
    return values
