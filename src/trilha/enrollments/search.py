"""Enrollments as the panel lists them: with names, found by person, and no further than somebody reaches."""

from datetime import datetime, time, timedelta
from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.core.clock import BRAZIL
from trilha.core.database import Tx, columns_of
from trilha.core.errors import NotFound
from trilha.core.types import Timestamp
from trilha.core.web.pagination import Order, Page, fetch_page
from trilha.enrollments.queries import DUE
from trilha.enrollments.schema import EnrollmentSearch, ListedEnrollment, SearchedStatus
from trilha.users import search as people
from trilha.users.reach import EVERYONE, TAUGHT, Reach
from trilha.users.schema import PeopleQuery

SOON = timedelta(days=14)
_SORTS = {"created": "created_at", "updated": "updated_at"}
# Each is walked by what finds it, so that a page takes no longer for all there is besides.
_ORDERS = {"ending": Order("expires_at", "ASC"), "completed_this_month": Order("updated_at", "DESC")}
# Looked up by their flags: in the order of all enrollments, few lie far apart.
_FLAGGED = """
    SELECT enrollment_id FROM review_flags WHERE tenant_id = :tenant AND dismissed_at IS NULL
    ORDER BY flagged_at DESC LIMIT 1000"""
_OPEN = f"place.status IN ('NOT_STARTED', 'IN_PROGRESS') AND NOT COALESCE({DUE.format('place.')}, false)"
# So many people or fewer are looked up by their ids; of more, most enrollments are, and the order is walked.
_FEW = 500
# So many are looked at before anybody is looked for: of a common word, or a large group, these have a page.
_FIRST = 3000
_OF_FIRST = "(SELECT * FROM enrollments AS place WHERE place.tenant_id = :tenant {first} OFFSET 0)"
# Enrollments are walked in their order, and people and courses looked up for one after the other until a page
# is full: planned as a join, one of many people may read all of theirs first.
_LISTED = f"""
    SELECT place.id, place.user_id, person.name AS user_name, person.email AS user_email, place.course_id,
           course.title AS course_title,
           CASE WHEN {DUE.format("place.")} THEN 'EXPIRED' ELSE place.status END AS status, place.progress,
           place.score, place.started_at, place.completed_at, place.expires_at, place.created_at,
           place.updated_at
    FROM {{places}} AS place
    CROSS JOIN LATERAL (
        SELECT person.name, person.email FROM users AS person
        WHERE person.tenant_id = :tenant AND person.id = place.user_id AND {{people}} OFFSET 0) AS person
    CROSS JOIN LATERAL (
        SELECT course.title FROM courses AS course
        WHERE course.tenant_id = :tenant AND course.id = place.course_id OFFSET 0) AS course
    WHERE place.tenant_id = :tenant
"""  # noqa: S608
# Of one person, who may not be within reach: nothing would end a walk through the order of all.
_THEIRS = "(SELECT * FROM enrollments WHERE tenant_id = :tenant AND user_id = :user OFFSET 0)"
# Of each course somebody teaches, as many as a page shows: in the order of all enrollments, a course that was
# taken long ago lies far down.
_OF_EACH_COURSE = """
    SELECT place.* FROM (
        SELECT course_id FROM course_teachers
        WHERE tenant_id = :tenant AND user_id = :reach_user) AS taught
    CROSS JOIN LATERAL ({listed} AND place.course_id = taught.course_id {page}) AS place
"""
# The same by the last change, which has no index in a course: of few, all of theirs are read, and are put in
# order before people are looked up, where all of these pass.
_OF_FEW = """(
    SELECT * FROM enrollments AS place
    WHERE place.tenant_id = :tenant AND place.course_id = taught.course_id {first} OFFSET 0)"""
_FEW_TAUGHT = 5000
_TAUGHT_BY_THEM = """EXISTS (
    SELECT FROM course_teachers AS taught
    WHERE taught.tenant_id = :tenant AND taught.course_id = :course AND taught.user_id = :reach_user)"""
_RECORDED_FOR = """
    WITH found AS (
        SELECT created_at, action, actor_kind, actor FROM audit_records
        WHERE tenant_id = :tenant AND target_id = :enrollment_id
        UNION ALL
        SELECT created_at, action, actor_kind, actor FROM audit_records
        WHERE tenant_id = :tenant AND created_at = :created_at
          AND action IN ('enrollment.bulk_created', 'enrollment.bulk_imported')
          AND detail -> 'enrollment_ids' @> to_jsonb(CAST(:enrollment_text AS text)))
    SELECT found.actor_kind, COALESCE(person.name, key.name, client.name, '') AS actor_name
    FROM found
    LEFT JOIN users AS person ON person.tenant_id = :tenant AND person.id::text = found.actor
    LEFT JOIN api_keys AS key ON key.tenant_id = :tenant AND key.id::text = found.actor
    LEFT JOIN oauth_clients AS client ON client.tenant_id = :tenant AND client.id::text = found.actor
    WHERE found.action IN ('enrollment.created', 'enrollment.bulk_created', 'enrollment.bulk_imported')
    ORDER BY found.created_at LIMIT 1
"""


# What is demanded of an enrollment, what of its person, and the parameters.
Asked = tuple[list[str], str, dict[str, Any]]


class Enroller(Struct, frozen=True):
    """Who made an enrollment; the name is empty where there is none."""

    actor_kind: str
    actor_name: str


async def search(tx: Tx, query: EnrollmentSearch, reach: Reach) -> Page[ListedEnrollment]:
    """One page of the enrollments of people within reach; an instrutor's are those of their courses."""
    if _may_be_among_first(query, reach) and await people.are_many(tx, _about(query), reach):
        page = await _list(tx, query, reach, _of_many(tx, query, reach), _FIRST)
        if page.has_more:
            return page
    return await _list(tx, query, reach, await _of_people(tx, query, reach))


def _may_be_among_first(query: EnrollmentSearch, reach: Reach) -> bool:
    """Whether people are asked for who may be many, in an order that is walked."""
    if reach.role == "instrutor" or query.user or query.course or not (query.q or query.unit or query.group):
        return False
    # Of who has two words, few of the first are in one state.
    has_two = len((query.q or "").split()) > 1
    return not (query.status and has_two) and query.status not in ("to_review", "expired", *_ORDERS)


async def _list(
    tx: Tx, query: EnrollmentSearch, reach: Reach, asked: Asked, most: int | None = None
) -> Page[ListedEnrollment]:
    """One page of these people's; with `most` no more are looked at."""
    where, of_people, params = asked
    for name, column in (("user", "user_id"), ("course", "course_id")):
        if (value := getattr(query, name)) is not None:
            where.append(f"place.{column} = :{name}")
            params[name] = value
    states, more = _in_state(tx, query.status)
    where += states
    params |= more
    listed = Order(_SORTS[query.sort.lstrip("-")], "DESC" if query.sort.startswith("-") else "ASC")
    order = _ORDERS.get(query.status or "", listed)
    of_teacher, by_change = reach.role == "instrutor", order.column == "updated_at"
    of_each_course = of_teacher and not (by_change and await _teaches_many(tx, reach))
    places = "enrollments" if query.user is None else _THEIRS
    if most is not None:
        places = _OF_FIRST.format(first=_page(query, order, most))
    page = _page(query, order, query.limit + 1)
    if of_each_course and by_change and query.user is None:
        first = f"AND {' AND '.join(['true', *where])} {page}" if of_people == "true" else ""
        places = _OF_FEW.format(first=first)
    if of_teacher:
        params["reach_user"] = reach.user_id
        if not of_each_course:
            # By no index: beside the one course that is asked for, a list of courses would seem to leave few
            # enrollments; and where they teach many, the order of all soon comes to a page.
            where.append(_TAUGHT_BY_THEM if query.course else f"(place.course_id = {TAUGHT}) IS TRUE")
    inner = " AND ".join([_LISTED.format(people=of_people, places=places), *where])
    if of_each_course:
        inner = _OF_EACH_COURSE.format(listed=inner, page=page)
    return await fetch_page(
        tx,
        ListedEnrollment,
        f"SELECT {columns_of(ListedEnrollment)} FROM ({inner}) AS place WHERE true",  # noqa: S608
        query,
        route=f"panel/enrollments/{reach.role}/{reach.user_id}",
        order=order,
        **params,
    )


async def _teaches_many(tx: Tx, reach: Reach) -> bool:
    """So many that the order of all enrollments soon comes to a page of theirs."""
    counted: int = await tx.value(
        f"""
        SELECT count(*) FROM (
            SELECT FROM enrollments WHERE tenant_id = :tenant AND course_id = {TAUGHT} LIMIT :most) AS found
        """,  # noqa: S608
        reach_user=reach.user_id,
        most=_FEW_TAUGHT + 1,
    )
    return counted > _FEW_TAUGHT


def _in_state(tx: Tx, status: SearchedStatus | None) -> tuple[list[str], dict[str, Any]]:
    if status is None:
        return [], {}
    if status == "open":
        return [_OPEN], {}
    if status == "ending":
        return [_OPEN, "place.expires_at > :now AND place.expires_at <= :until"], {"until": tx.now + SOON}
    if status == "to_review":
        return [f"place.id = ANY(ARRAY({_FLAGGED}))"], {}
    if status == "expired":
        return [f"(place.status = 'EXPIRED' OR {DUE.format('place.')})"], {}
    if status == "completed_this_month":
        # Nothing is completed after its last change, and the page is in the order of that: IS TRUE keeps the
        # planner from the index of `completed_at`, all of which would be read and sorted.
        completed = "place.status = 'COMPLETED' AND (place.completed_at >= :since) IS TRUE"
        since = datetime.combine(tx.today.replace(day=1), time(), BRAZIL)
        return [completed, "place.updated_at >= :since"], {"since": since}
    stored = ["place.status = :status", f"NOT COALESCE({DUE.format('place.')}, false)"]
    return stored, {"status": status.upper()}


def _page(query: EnrollmentSearch, order: Order, most: int) -> str:
    """The end of a statement, for so many from the place at which the page of `fetch_page` begins."""
    beyond = ""
    if query.cursor is not None:
        sign = "<" if order.direction == "DESC" else ">"
        beyond = f"AND (place.{order.column}, place.id) {sign} (:after_at, :after_id)"
    by = f"place.{order.column} {order.direction}, place.id {order.direction}"
    return f"{beyond} ORDER BY {by} LIMIT {most}"


async def get(tx: Tx, enrollment_id: UUID, reach: Reach) -> ListedEnrollment:
    """Raises NotFound, also for what is out of reach."""
    where, of_people, params = _of_reach(reach)
    select = " AND ".join(
        [_LISTED.format(people=of_people, places="enrollments"), "place.id = :enrollment_id", *where]
    )
    found = await tx.find(ListedEnrollment, select, enrollment_id=enrollment_id, **params)
    if found is None:
        raise NotFound("enrollment_not_found")
    return found


async def find_enroller(tx: Tx, enrollment_id: UUID, created_at: Timestamp) -> Enroller | None:
    """None where the record of it is no longer kept."""
    return await tx.find(
        Enroller,
        _RECORDED_FOR,
        enrollment_id=enrollment_id,
        enrollment_text=str(enrollment_id),
        created_at=created_at,
    )


def _of_reach(reach: Reach) -> tuple[list[str], str, dict[str, Any]]:
    """What holds for the enrollment, what for the person, and the parameters."""
    if reach.role == "instrutor":
        return [f"place.course_id = {TAUGHT}"], "true", {"reach_user": reach.user_id}
    return [], *reach.condition("person")


async def _of_people(tx: Tx, query: EnrollmentSearch, reach: Reach) -> Asked:
    """Of whom the enrollments are: of few people by their ids."""
    within = _within(reach)
    if within.is_everyone and not (query.q or query.unit or query.group):
        return [], "true", {}
    about = _about(query)
    is_short = query.status == "to_review" and (people.words_of(about, "id")[0] or not query.q)
    if not is_short:  # else a list to look through
        ids = await people.find_ids(tx, about, within, _FEW + 1)
        if len(ids) <= _FEW:
            return ["place.user_id = ANY(:people)"], "true", {"people": ids}
    return _of_many(tx, query, reach)


def _of_many(tx: Tx, query: EnrollmentSearch, reach: Reach) -> Asked:
    """As `_of_people`, each person asked."""
    about = _about(query)
    where, named = people.words_of(about, "place.user_id")
    if where:  # asked of the enrollment: people without these words are not read at all
        about = PeopleQuery(unit=query.unit, group=query.group)
    conditions, params = people.condition(tx, about, _within(reach))
    return where, " AND ".join(["true", *conditions]), params | named


def _about(query: EnrollmentSearch) -> PeopleQuery:
    return PeopleQuery(q=query.q, unit=query.unit, group=query.group)


def _within(reach: Reach) -> Reach:
    """What an instrutor reaches is decided by the courses."""
    return EVERYONE if reach.role == "instrutor" else reach
