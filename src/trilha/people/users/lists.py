"""The lists of people, and conditions on people that other lists share.

`column` names the column of a list's rows that has a person's id.
"""

from collections.abc import Collection

from msgspec import structs

from trilha.core.counter_rows import CounterTable
from trilha.core.database import Tx
from trilha.core.lists import CHANGED_SINCE, CREATED_SINCE, Branch, Condition, Conditions, List, Walk
from trilha.core.lists.narrowing import select_among_first
from trilha.people.users import words
from trilha.people.users.reach import MANAGED_UNITS, TAUGHT, Reach
from trilha.people.users.schema import PeopleQuery, Person, User, UserQuery

_NEWEST = ("created_at",)
PEOPLE_COUNTERS = CounterTable("people_counters", ("role", "status"), ("people",))
_BELOW = """
    WITH RECURSIVE below AS (
        SELECT CAST(:unit AS uuid) AS id
        UNION
        SELECT unit.id FROM business_units AS unit JOIN below ON unit.parent_id = below.id
        WHERE unit.tenant_id = :tenant)
    SELECT id FROM below"""
_OF_UNITS = """
    SELECT person.id FROM ({}) AS unit CROSS JOIN LATERAL (
        SELECT id FROM users WHERE tenant_id = :tenant AND business_unit_id = unit.id LIMIT 3000) AS person"""
_UNIT_OF = "(SELECT business_unit_id FROM users WHERE tenant_id = :tenant AND id = row.{})"
_IS_MEMBER = """(
    SELECT true FROM learning_group_members AS member
    WHERE member.tenant_id = :tenant AND member.group_id = :group AND member.user_id = row.{} LIMIT 1)"""
_MEMBERS = "SELECT user_id FROM learning_group_members WHERE tenant_id = :tenant AND group_id = :group"
_LEARNS = f"""(
    SELECT true FROM enrollments AS place
    WHERE place.tenant_id = :tenant AND place.user_id = row.{{}} AND place.course_id = {TAUGHT} LIMIT 1)"""  # noqa: S608
_LEARNERS = f"SELECT user_id FROM enrollments WHERE tenant_id = :tenant AND course_id = {TAUGHT}"  # noqa: S608
_ASKS_FOR_LICENCE = """(
    SELECT true FROM enrollments AS place
    JOIN courses AS course ON course.tenant_id = place.tenant_id AND course.id = place.course_id
    WHERE place.tenant_id = :tenant AND place.user_id = {0}.id
      AND place.status IN ('NOT_STARTED', 'IN_PROGRESS')
      AND course.regulation -> 'required_profile_fields' ? 'cnh'{1} LIMIT 1)"""
_LICENCE_ENDED = "row.cnh_valid_until < :today AND row.status = 'ACTIVE'"


def in_unit(column: str) -> Condition:
    """Selects people in the unit `:unit` or below it."""
    return _in_units(_BELOW, column)


def in_group(column: str) -> Condition:
    """Selects members of the learning group `:group`."""
    return Condition(where=_IS_MEMBER.format(column), ids=_MEMBERS, of=column)


def in_reach(reach: Reach, column: str) -> Conditions:
    """Selects the people that a viewer may see; see Reach."""
    if reach.is_everyone:
        return ()
    if reach.role == "gestor":
        condition = _in_units(MANAGED_UNITS, column)
    elif reach.role == "instrutor":
        condition = Condition(where=_LEARNS.format(column), ids=_LEARNERS, of=column)
    else:
        condition = Condition(where=f"row.{column} = :reach_user", one="reach_user", of=column)
    return (structs.replace(condition, params={"reach_user": reach.user_id}),)


def _in_units(units: str, column: str) -> Condition:
    if column == "id":
        return Condition(
            where=f"row.business_unit_id = ANY(ARRAY({units}))",
            ids=_OF_UNITS.format(units),
            leads=_NEWEST,
            branches=(Branch(units, "row.business_unit_id = value.id"),),
        )
    where = f"{_UNIT_OF.format(column)} = ANY(ARRAY({units}))"
    return Condition(where=where, ids=_OF_UNITS.format(units), of=column)


async def _build_search_conditions(tx: Tx, query: PeopleQuery, reach: Reach) -> Conditions:
    text = query.q or ""
    conditions = words.find_typed(tx, text, "id")
    if query.sort in ("name", "-name") and conditions and "term_0" in conditions[0].params:
        order = words.order_by_name(words.terms_of(text), "DESC" if query.sort == "-name" else "ASC")
        conditions[0] = structs.replace(conditions[0], order=order)
    return conditions


async def _build_word_conditions(tx: Tx, query: UserQuery, reach: None) -> Conditions:
    """A CPF is not searched for here, because the query would put it into a URL."""
    terms = words.terms_of(query.q or "")
    if not terms:
        return [Condition(where="false", ids="SELECT id FROM users WHERE tenant_id = :tenant AND false")]
    first, *others = words.find_terms(terms, "id")
    return [structs.replace(first, order=words.order_by_name(terms)), *others]


async def _build_field_condition(tx: Tx, query: PeopleQuery, reach: Reach) -> Conditions:
    key, _, value = (query.custom or "").partition(":")
    where = "row.custom_fields @> jsonb_build_object(CAST(:field_key AS text), CAST(:field_value AS text))"
    return [Condition(where=where, leads=_NEWEST, params={"field_key": key, "field_value": value})]


async def _build_license_condition(tx: Tx, query: PeopleQuery, reach: Reach) -> Conditions:
    """Selects active people with an expired driver's license who take a course that requires one, within
    reach.
    """
    taught = f" AND place.course_id = {TAUGHT}" if reach.role == "instrutor" else ""
    ended = f"SELECT id FROM users AS row WHERE tenant_id = :tenant AND {_LICENCE_ENDED}"  # noqa: S608
    return [
        Condition(
            where=f"{_LICENCE_ENDED} AND {_ASKS_FOR_LICENCE.format('row', taught)}",
            ids=select_among_first(ended, "person", _ASKS_FOR_LICENCE.format("person", taught)),
            params={"today": tx.today.isoformat(), "reach_user": reach.user_id},
        )
    ]


async def _count_people(tx: Tx, query: PeopleQuery, filters: Collection[str], reach: Reach) -> int | None:
    """Returns the number of all people, or of those with a role or status; None if other filters apply."""
    if not reach.is_everyone or not {"role", "status"}.issuperset(filters):
        return None
    where = "".join(f" AND {name} = :{name}" for name in filters)
    total: int = await tx.value(
        f"SELECT COALESCE(sum(people), 0)::bigint FROM people_counters WHERE tenant_id = :tenant{where}",  # noqa: S608
        **{name: getattr(query, name) for name in filters},
    )
    return total


def _equal(name: str, *leads: str, ids: bool = False) -> Condition:
    select_ids = f"SELECT id FROM users WHERE tenant_id = :tenant AND {name} = :{name}" if ids else ""  # noqa: S608
    return Condition(where=f"row.{name} = :{name}", leads=leads, ids=select_ids)


PEOPLE = List(
    name="people",
    table="users",
    kind=Person,
    columns={
        "business_unit": """(
            SELECT unit.name FROM business_units AS unit
            WHERE unit.tenant_id = :tenant AND unit.id = row.business_unit_id)"""
    },
    orders={
        "name": Walk(keys=("name_key",)),
        "email": Walk(keys=("email",)),
        "last_login": Walk(keys=("last_login_key",)),
        "created": Walk(keys=_NEWEST),
    },
    filters={
        "q": _build_search_conditions,
        "group": in_group("id"),
        "unit": in_unit("id"),
        "licence_expired": _build_license_condition,
        "custom": _build_field_condition,
        "without_unit": Condition(where="row.business_unit_id IS NULL", leads=_NEWEST),
        "role": _equal("role", *_NEWEST, ids=True),
        "status": _equal("status", *_NEWEST, ids=True),
    },
    reach=lambda reach: in_reach(reach, "id"),
    total=_count_people,
)

USERS = List(
    name="users",
    table="users",
    kind=User,
    filters={
        "updated_since": CHANGED_SINCE,
        "email": _equal("email", ids=True),
        "employee_number": _equal("employee_number", ids=True),
        "q": _build_word_conditions,
        "department": _equal("department", *_NEWEST),
        "business_unit_id": _equal("business_unit_id", *_NEWEST),
        "role": _equal("role", *_NEWEST),
        "status": _equal("status", *_NEWEST),
        "created_since": CREATED_SINCE,
    },
)
