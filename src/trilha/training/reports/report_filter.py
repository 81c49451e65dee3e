"""The filter of a report: a course, people, months."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.people.users.reach import TAUGHT, Reach
from trilha.training.reports.unit_counters import FEW_PEOPLE

MONTHS = 12


class ReportFilter(Struct, frozen=True):
    """None means no filter. `since` and `until` are first days of months, both included."""

    since: date
    until: date
    course_id: UUID | None = None
    unit_id: UUID | None = None
    group_id: UUID | None = None


class People(Struct, frozen=True):
    """`condition` is SQL over the user `u` for the selected people within reach. `few`: they may be counted
    one by one on request.
    """

    condition: str
    params: Mapping[str, Any]
    few: bool


BELOW = """u.business_unit_id = ANY(ARRAY(
    WITH RECURSIVE below AS (
        SELECT id FROM business_units WHERE tenant_id = :tenant AND id = :unit
        UNION
        SELECT unit.id FROM business_units AS unit JOIN below ON unit.parent_id = below.id
        WHERE unit.tenant_id = :tenant)
    SELECT id FROM below))"""
MEMBERS = """u.id = ANY(ARRAY(
    SELECT user_id FROM learning_group_members WHERE tenant_id = :tenant AND group_id = :group))"""


# If the number of people is small enough for the query to end early, people are checked one by one.
_MEMBER = """EXISTS (
    SELECT FROM learning_group_members AS member
    WHERE member.tenant_id = :tenant AND member.group_id = :group AND member.user_id = u.id OFFSET 0)"""


_OF_ALL = "SELECT u.id FROM users AS u WHERE u.tenant_id = :tenant"
_OF_GROUP = """
    SELECT u.id FROM learning_group_members AS member
    JOIN users AS u ON u.tenant_id = member.tenant_id AND u.id = member.user_id
    WHERE member.tenant_id = :tenant AND member.group_id = :group"""


async def find_people(tx: Tx, reach: Reach, report_filter: ReportFilter) -> People | None:
    """Returns None if the filter is not by people but only by courses."""
    conditions, params = people_within(reach, report_filter.unit_id, report_filter.group_id)
    if not conditions:
        return None
    condition = " AND ".join(_MEMBER if each == MEMBERS else each for each in conditions)
    others = " AND ".join(["true", *(each for each in conditions if each != MEMBERS)])
    people = f"{_OF_GROUP if report_filter.group_id else _OF_ALL} AND {others} LIMIT {FEW_PEOPLE + 1}"
    rows = await tx.rows(people, **params)
    if len(rows) <= FEW_PEOPLE:
        return People("u.id = ANY(:people)", {"people": [row["id"] for row in rows]}, few=True)
    return People(condition, params, few=False)


def people_within(
    reach: Reach, unit_id: UUID | None, group_id: UUID | None
) -> tuple[Sequence[str], dict[str, Any]]:
    """Builds the condition on the user `u`. In a course that an instructor teaches, all learners are within
    reach.
    """
    conditions, params = [], dict[str, Any]()
    if reach.role == "gestor":
        condition, params = reach.condition("u")
        conditions.append(condition)
    if unit_id is not None:
        conditions.append(BELOW)
        params["unit"] = unit_id
    if group_id is not None:
        conditions.append(MEMBERS)
        params["group"] = group_id
    return conditions, params


def courses_within(reach: Reach, course_id: UUID | None, column: str) -> tuple[Sequence[str], dict[str, Any]]:
    """Builds the condition on a course's id: the filter's course, and one that the instructor teaches."""
    conditions, params = [], dict[str, Any]()
    if course_id is not None:
        conditions.append(f"{column} = :course")
        params["course"] = course_id
    if reach.role == "instrutor":
        conditions.append(f"{column} = {TAUGHT}")
        params["reach_user"] = reach.user_id
    return conditions, params


def last_months(today: date, count: int = MONTHS) -> tuple[date, date]:
    """Returns the first days of the first and last of so many months; the current month is the last."""
    this = today.replace(day=1)
    return month_after(this, 1 - count), this


def month_after(month: date, count: int) -> date:
    number = month.year * 12 + month.month - 1 + count
    return date(number // 12, number % 12 + 1, 1)


def months_between(first: date, last: date) -> list[date]:
    count = (last.year - first.year) * 12 + last.month - first.month + 1
    return [month_after(first, each) for each in range(count)]
