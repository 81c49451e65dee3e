"""Who of a tenant's people passes: the filters of the panel's list, and whom somebody reaches."""

from collections.abc import Sequence
from datetime import date
from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.users.reach import MANAGED, Reach
from trilha.users.schema import PeopleQuery

_BELOW = """
    WITH RECURSIVE below AS (
        SELECT CAST(:unit AS uuid) AS id
        UNION
        SELECT unit.id FROM business_units AS unit JOIN below ON unit.parent_id = below.id
        WHERE unit.tenant_id = :tenant)
    SELECT id FROM below
    """
_OF_GROUP = """
    FROM learning_group_members AS member {}
    WHERE member.tenant_id = :tenant AND member.group_id = :group"""
MEMBERS = f"SELECT member.user_id {_OF_GROUP.format('')}"
# A person is asked after the other: whoever ends early does not read all of a large group.
_WITH_USERS = "JOIN users AS person ON person.tenant_id = member.tenant_id AND person.id = member.user_id"
_IS_MEMBER = f"EXISTS ({MEMBERS} AND member.user_id = person.id OFFSET 0)"
_ASKS_FOR_LICENCE = """
    SELECT FROM enrollments AS place
    JOIN courses AS course ON course.tenant_id = place.tenant_id AND course.id = place.course_id
    WHERE place.tenant_id = :tenant AND place.user_id = person.id
      AND place.status IN ('NOT_STARTED', 'IN_PROGRESS')
      AND course.regulation -> 'required_profile_fields' ? 'cnh'
    """
# A person is asked after the other: those who take such courses are far more than those whose licence ended.
_ONE_BY_ONE = " OFFSET 0"
_TAUGHT = """ AND place.course_id IN (
    SELECT course_id FROM course_teachers WHERE tenant_id = :tenant AND user_id = :reach_user)"""


class Filters(Struct, frozen=True):
    """Conditions on `person`; selects of units, in one of each of which a person must be; and parameters.

    `in_group` where they must be in a group that is large. `narrow` where it is worth while to look for who
    passes, as these may be few. `ask_each` where each person takes a look at something else.
    """

    where: list[str]
    units: list[str]
    params: dict[str, Any]
    in_group: bool = False
    narrow: bool = False
    ask_each: bool = False

    @property
    def conditions(self) -> list[str]:
        return [*self._of_each, *(f"person.business_unit_id = ANY(ARRAY({each}))" for each in self.units)]

    @property
    def besides_group(self) -> list[str]:
        """The same of those of whom it is known that they are in the group."""
        return Filters(self.where, self.units, {}).conditions

    @property
    def walked(self) -> list[str]:
        """The same where an order is walked: the index of units has another one."""
        own = "COALESCE(person.business_unit_id, person.tenant_id)"
        return [*self._of_each, *(f"{own} = ANY(ARRAY({each}))" for each in self.units)]

    @property
    def _of_each(self) -> list[str]:
        return [*self.where, _IS_MEMBER] if self.in_group else self.where

    @property
    def of_units(self) -> "Filters":
        named = {name: each for name, each in self.params.items() if f":{name}" in " ".join(self.units)}
        return Filters([], self.units, named)

    @property
    def ids(self) -> str:
        """A select of who passes, in no order. Those of units alone come from one unit after the other, so
        that a limit ends it."""
        if self.in_group:
            others = self.besides_group
            passing = f"AND {' AND '.join(others)}" if others else ""
            return f"SELECT member.user_id AS id {_OF_GROUP.format(_WITH_USERS if others else '')} {passing}"
        if self.where or not self.units:
            conditions = " AND ".join(["true", *self.conditions])
            return f"SELECT person.id FROM users AS person WHERE tenant_id = :tenant AND {conditions}"  # noqa: S608
        units = " INTERSECT ".join(f"SELECT id FROM ({each}) AS unit" for each in self.units)  # noqa: S608
        return f"""
            SELECT person.id FROM ({units}) AS unit
            CROSS JOIN LATERAL (
                SELECT * FROM users WHERE tenant_id = :tenant AND business_unit_id = unit.id OFFSET 0
            ) AS person
            WHERE true"""  # noqa: S608


def filters_of(
    query: PeopleQuery, reach: Reach, today: date, members: Sequence[UUID] | None = None
) -> Filters:
    """`members` are the group's, where they are few and were looked up."""
    params: dict[str, Any] = {}
    where, units = [], []
    for name in ("status", "role"):
        if (value := getattr(query, name)) is not None:
            # One of few values, in the statement: what suits learners does not suit administrators.
            where.append(f"person.{name} = '{value}'")
    if query.unit is not None:
        units.append(_BELOW)
        params["unit"] = query.unit
    if query.without_unit:
        # Nobody of a unit, and of those whom a manager reaches.
        is_nobody = query.unit is not None or reach.role == "gestor"
        where.append("false" if is_nobody else "person.business_unit_id IS NULL")
    if query.licence_expired:
        courses = _ASKS_FOR_LICENCE + (_TAUGHT if reach.role == "instrutor" else "")
        # The day is in the statement: how many licences ended before it is known when it is planned.
        where += [f"person.cnh_valid_until < '{today.isoformat()}'", "person.status = 'ACTIVE'"]
        where.append(f"EXISTS ({courses}{_ONE_BY_ONE})")
    if members is not None:
        where.append("person.id = ANY(:members)")
        params["members"] = members
    is_in_many = query.group is not None and members is None
    if is_in_many:
        params["group"] = query.group
    is_filtered = bool(where or units or is_in_many)
    if reach.role == "gestor":
        units.append(MANAGED)
        params["reach_user"] = reach.user_id
    elif not reach.is_everyone:
        condition, more = reach.condition("person")
        where.append(condition)
        params |= more
    is_of_many = reach.role == "instrutor" and reach.learners is None
    return Filters(
        where,
        units,
        params,
        in_group=is_in_many,
        narrow=bool(units) if is_in_many else is_filtered or not is_of_many,
        ask_each=is_of_many or is_in_many or bool(query.licence_expired),
    )
