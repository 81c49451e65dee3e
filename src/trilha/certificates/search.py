"""Certificates as the panel lists them: found by person, course or code, no further than somebody reaches."""

from typing import Annotated, Any, Literal, TypeVar
from uuid import UUID

from msgspec import Meta, Struct

from trilha.certificates import rules
from trilha.certificates.rules import EXPIRING, CertificateStatus, status_of
from trilha.core.database import Tx, columns_of
from trilha.core.errors import NotFound
from trilha.core.moments import Day
from trilha.core.types import STORABLE, Timestamp
from trilha.core.web.pagination import ListQuery, Order, Page, PageSize, fetch_page
from trilha.courses import search as courses
from trilha.users import search as people
from trilha.users.reach import EVERYONE, TAUGHT, Reach
from trilha.users.schema import PeopleQuery

T = TypeVar("T", bound=Struct)
# `renewal` are those whose holders have to take the training again and have not begun to; `failed` those
# whose PDF could not be made.
SearchedStatus = Literal["valid", "expiring", "expired", "renewal", "revoked", "failed"]
Sort = Literal["issued", "-issued"]


class CertificateSearch(ListQuery, frozen=True, kw_only=True):
    """What the panel's list of certificates takes. `-` before a `sort` is descending.

    `q` is a whole code, or finds people as in their list, or courses by their title. `since` and `until` are
    days of issue in the tenant's calendar, both included. `expiring` is listed soonest first, `expired` and
    `renewal` latest first, whatever the `sort`.
    """

    limit: PageSize = 15  # a page with all its words and buttons stays below 120 KB
    q: Annotated[str, Meta(max_length=200, extra_json_schema=STORABLE)] | None = None
    user: UUID | None = None
    course: UUID | None = None
    enrollment: UUID | None = None
    status: SearchedStatus | None = None
    since: Day | None = None
    until: Day | None = None
    sort: Sort = "-issued"


class ListedCertificate(Struct, frozen=True):
    """A certificate in the panel. The name is that on its paper; None, as the address, of whoever was erased.

    `has_file`: its PDF can be fetched. `failed`: making it was given up.
    """

    id: UUID
    code: str
    user_id: UUID
    enrollment_id: UUID
    holder_name: str | None
    user_email: str | None
    course_id: UUID
    course_title: str
    issued_at: Timestamp
    expires_at: Timestamp | None
    revoked_at: Timestamp | None
    replaced_by: UUID | None
    erased_at: Timestamp | None
    has_file: bool
    failed: bool
    created_at: Timestamp

    @property
    def shown_code(self) -> str:
        return rules.shown_code(self.code)

    def status(self, now: Timestamp) -> CertificateStatus:
        return status_of(self.revoked_at, self.expires_at, now)


class CertificateFile(Struct, frozen=True):
    """What an archive needs of a certificate."""

    id: UUID
    code: str
    holder_name: str
    course_title: str
    issued_at: Timestamp
    file_key: str
    created_at: Timestamp


ORDERED = ("expiring", "expired", "renewal")  # these have an order of their own
_ORDERS = {
    "expiring": Order("expires_at", "ASC"),
    "expired": Order("expires_at", "DESC"),
    "renewal": Order("expires_at", "DESC"),
}
_FEW = 1000  # so many people, or courses, are looked up by their ids
_FAILED = "(c.file_key IS NULL AND c.render_due_at IS NULL AND c.erased_at IS NULL)"
# Walked in their order, and people looked up one after the other until a page is full.
_LISTED = f"""
    SELECT c.id, c.code, c.user_id, c.enrollment_id, c.holder_name,
           CASE WHEN c.erased_at IS NULL THEN person.email END AS user_email, c.course_id, c.course_title,
           c.issued_at, c.expires_at, c.revoked_at, c.replaced_by, c.erased_at, c.file_key, c.created_at,
           c.file_key IS NOT NULL AND c.erased_at IS NULL AS has_file, {_FAILED} AS failed
    FROM {{certificates}} AS c
    CROSS JOIN LATERAL (
        SELECT person.email FROM users AS person
        WHERE person.tenant_id = :tenant AND person.id = c.user_id AND {{people}} OFFSET 0) AS person
    WHERE c.tenant_id = :tenant
"""  # noqa: S608
# Of few people, who may have none within reach: nothing would end a walk through the order of all.
_THEIRS = "(SELECT * FROM certificates WHERE tenant_id = :tenant AND user_id = {} OFFSET 0)"
_WHOSE = (":user", "ANY(:people)", "ANY(:few)")
# Of each course somebody teaches, as many as a page shows.
_OF_EACH_COURSE = """
    SELECT listed.* FROM (
        SELECT course_id FROM course_teachers
        WHERE tenant_id = :tenant AND user_id = :reach_user) AS taught
    CROSS JOIN LATERAL ({listed} AND c.course_id = taught.course_id {page}) AS listed
"""
_RENEWAL = """EXISTS (
    SELECT FROM enrollments AS place
    JOIN users AS learner ON learner.tenant_id = :tenant AND learner.id = place.user_id
    JOIN courses AS course ON course.tenant_id = :tenant AND course.id = place.course_id
    WHERE place.tenant_id = :tenant AND place.id = c.enrollment_id AND place.current
      AND learner.status = 'ACTIVE' AND course.status = 'PUBLISHED')"""
_NOT_REVOKED = "c.revoked_at IS NULL"


async def search(tx: Tx, query: CertificateSearch, reach: Reach) -> Page[ListedCertificate]:
    """One page of the certificates of people within reach; an instrutor's are those of their courses."""
    return await _page_of(tx, ListedCertificate, query, reach)


async def list_files(tx: Tx, query: CertificateSearch, reach: Reach) -> Page[CertificateFile]:
    """As `search`, those that have a PDF."""
    return await _page_of(tx, CertificateFile, query, reach, "c.file_key IS NOT NULL AND c.erased_at IS NULL")


async def find_files(tx: Tx, ids: list[UUID], reach: Reach) -> list[CertificateFile]:
    """Of these, those within reach that have a PDF, newest first."""
    where, of_people, params = _of_reach(reach)
    conditions = [_listed(of_people), "c.id = ANY(:ids) AND c.file_key IS NOT NULL", *where]
    return await tx.list(
        CertificateFile,
        f"""
        SELECT {columns_of(CertificateFile)} FROM ({" AND ".join(conditions)}) AS c
        WHERE c.has_file ORDER BY c.created_at DESC, c.id
        """,  # noqa: S608
        ids=ids,
        **params,
    )


async def get(tx: Tx, certificate_id: UUID, reach: Reach) -> ListedCertificate:
    """Raises NotFound, also for what is out of reach."""
    where, of_people, params = _of_reach(reach)
    listed = " AND ".join([_listed(of_people), "c.id = :certificate_id", *where])
    select = f"SELECT {columns_of(ListedCertificate)} FROM ({listed}) AS c"  # noqa: S608
    found = await tx.find(ListedCertificate, select, certificate_id=certificate_id, **params)
    if found is None:
        raise NotFound("certificate_not_found")
    return found


async def count(
    tx: Tx, status: SearchedStatus, reach: Reach, most: int, *, course_id: UUID | None = None
) -> int:
    """How many `search` would list; counted no further than `most`."""
    where, of_people, params = _of_reach(reach)
    if course_id is not None:
        where.append("c.course_id = :course")
        params["course"] = course_id
    states, more = _in_state(tx, status)
    few, of_few = await _of_few(tx, reach)
    listed = " AND ".join([_listed(of_people), *where, *few, *states])
    counted: int = await tx.value(
        f"SELECT count(*) FROM ({listed} LIMIT :most) AS found",  # noqa: S608
        most=most,
        **params,
        **of_few,
        **more,
    )
    return counted


async def _page_of(tx: Tx, kind: type[T], query: CertificateSearch, reach: Reach, *also: str) -> Page[T]:
    where, of_people, params = await _found_by(tx, query, reach)
    where += also
    for name in ("user", "course", "enrollment"):
        if (value := getattr(query, name)) is not None:
            where.append(f"c.{name}_id = :{name}")
            params[name] = value
    dated, more = await _issued(tx, query)
    states, of_state = _in_state(tx, query.status)
    params |= more | of_state
    # Almost the same order, and those of some days are found by it.
    usual = Order("issued_at" if dated else "created_at", "DESC" if query.sort.startswith("-") else "ASC")
    order = _ORDERS.get(query.status or "", usual)
    whose = next((each for each in _WHOSE if f"c.user_id = {each}" in where), None)
    listed = _listed(of_people, _THEIRS.format(whose) if whose else "certificates")
    inner = " AND ".join([listed, *where, *dated, *states])
    if reach.role == "instrutor":
        params["reach_user"] = reach.user_id
        of_each = _OF_EACH_COURSE.format(listed=inner, page=_end(query, order))
        inner = f"{inner} AND c.course_id = {TAUGHT}" if whose else of_each
    return await fetch_page(
        tx,
        kind,
        f"SELECT {columns_of(kind)} FROM ({inner}) AS c WHERE true",  # noqa: S608
        query,
        route=f"panel/certificates/{reach.role}/{reach.user_id}",
        order=order,
        **params,
    )


def _listed(people: str, certificates: str = "certificates") -> str:
    return _LISTED.format(people=people, certificates=certificates)


def _end(query: CertificateSearch, order: Order) -> str:
    """The end of a statement, for as many as the page of `fetch_page` needs of it."""
    beyond = ""
    if query.cursor is not None:
        sign = "<" if order.direction == "DESC" else ">"
        beyond = f"AND (c.{order.column}, c.id) {sign} (:after_at, :after_id)"
    by = f"c.{order.column} {order.direction}, c.id {order.direction}"
    return f"{beyond} ORDER BY {by} LIMIT {query.limit + 1}"


def _of_reach(reach: Reach) -> tuple[list[str], str, dict[str, Any]]:
    """What holds for the certificate, what for the person, and the parameters."""
    if reach.role == "instrutor":
        return [f"c.course_id = {TAUGHT}"], "true", {"reach_user": reach.user_id}
    return [], *reach.condition("person")


async def _of_few(tx: Tx, reach: Reach) -> tuple[list[str], dict[str, Any]]:
    """Whose certificates a manager of few people sees, so that they are not looked for among all."""
    if reach.role != "gestor":
        return [], {}
    ids = await people.find_ids(tx, PeopleQuery(), reach, _FEW + 1)
    return (["c.user_id = ANY(:few)"], {"few": ids}) if len(ids) <= _FEW else ([], {})


async def _found_by(tx: Tx, query: CertificateSearch, reach: Reach) -> tuple[list[str], str, dict[str, Any]]:
    """By what was typed and within reach: of the certificate, of the person, and the parameters."""
    # What an instrutor reaches is decided by the courses.
    within = EVERYONE if reach.role == "instrutor" else reach
    of_people, params = within.condition("person")
    few, of_few = await _of_few(tx, reach)
    params |= of_few
    typed = (query.q or "").strip()
    if not typed:
        return few, of_people, params
    if code := rules.read_code(typed):
        return ["c.code = :code", *few], of_people, params | {"code": code}
    titled = await courses.find_ids(tx, typed, _FEW)
    about = PeopleQuery(q=typed)
    ids = await people.find_ids(tx, about, within, _FEW + 1)
    if len(ids) <= _FEW and not titled:  # so that it is plain how few these are
        return ["c.user_id = ANY(:people)"], of_people, {**params, "people": ids}
    params["titled"] = titled
    if len(ids) <= _FEW:
        found = "(c.user_id = ANY(:people) OR c.course_id = ANY(:titled))"
        return [found, *few], of_people, {**params, "people": ids}
    # Words are asked of the certificate: people without them are not read at all.
    words, more = people.words_of(about, "c.user_id")
    if words:
        return [f"({' AND '.join(words)} OR c.course_id = ANY(:titled))", *few], of_people, params | more
    conditions, more = people.condition(tx, about, EVERYONE)
    named = " AND ".join(conditions)
    return few, f"{of_people} AND ({named} OR c.course_id = ANY(:titled))", {**params, **more}


async def _issued(tx: Tx, query: CertificateSearch) -> tuple[list[str], dict[str, Any]]:
    """Between these days of the tenant's calendar."""
    if query.since is None and query.until is None:
        return [], {}
    zone = await tx.value(_TIME_ZONE)
    where, params = [], dict[str, Any]()
    if query.since is not None:
        where.append("c.issued_at >= :since")
        params["since"] = query.since.begin(zone)
    if query.until is not None:
        where.append("c.issued_at < :until")
        params["until"] = query.until.end(zone)
    return where, params


_TIME_ZONE = """
    SELECT COALESCE((SELECT time_zone FROM tenant_settings WHERE tenant_id = :tenant), 'America/Sao_Paulo')
"""


def _in_state(tx: Tx, status: SearchedStatus | None) -> tuple[list[str], dict[str, Any]]:
    """Of the certificate `c`. `:now` is bound by itself."""
    match status:
        case None:
            return [], {}
        case "revoked":
            return ["c.revoked_at IS NOT NULL"], {}
        case "failed":
            return [_FAILED], {}
        case "valid":
            return [_NOT_REVOKED, "(c.expires_at IS NULL OR c.expires_at > :now)"], {}
        case "expiring":
            until = {"soon": tx.now + EXPIRING}
            return [_NOT_REVOKED, "c.expires_at > :now AND c.expires_at <= :soon"], until
        case "expired":
            return [_NOT_REVOKED, "c.expires_at <= :now"], {}
        case "renewal":
            return [_NOT_REVOKED, "c.expires_at <= :now", _RENEWAL], {}
