"""The lists of certificates: the panel's, with names and files, and the API's."""

from collections.abc import Mapping
from uuid import UUID

from msgspec import structs

from trilha.core.database import Tx
from trilha.core.lists import (
    CHANGED_SINCE,
    NEWEST,
    Branch,
    Condition,
    Conditions,
    List,
    Walk,
    find_few_ids,
    list_ids,
    since_day,
    until_day,
)
from trilha.core.web.pagination import SyncQuery
from trilha.people.users import lists as people
from trilha.people.users import words
from trilha.people.users.lists import PEOPLE
from trilha.people.users.reach import EVERYONE, Reach
from trilha.people.users.schema import PeopleQuery
from trilha.training.certificates import rules
from trilha.training.certificates.rules import EXPIRING
from trilha.training.certificates.schema import (
    CertificateFile,
    CertificateSearch,
    CertificatesQuery,
    ListedCertificate,
    StoredCertificate,
)
from trilha.training.courses.lists import NAMES as COURSES
from trilha.training.courses.schema import CourseSearch
from trilha.training.enrollments.lists import of_person, taught

_MAX_COURSES = 300
_NOW = "CAST(:now AS timestamptz)"
_BY_ISSUE = Walk(keys=("issued_at",), direction="DESC")
_ISSUE_KEYS = _BY_ISSUE.keys
_VALID = "row.revoked_at IS NULL"
_HAS_FAILED = "row.file_key IS NULL AND row.render_due_at IS NULL AND row.erased_at IS NULL"
_HAS_FILE = "row.file_key IS NOT NULL AND row.erased_at IS NULL"
_EXPIRY = Condition(
    where=f"{_VALID} AND row.expires_at <= {_NOW}",
    bounds="expires_at",
    order=(Walk(keys=("expires_at",), direction="DESC"),),
)
_TO_RENEW = """(
    SELECT true FROM enrollments AS place
    JOIN users AS learner ON learner.tenant_id = :tenant AND learner.id = place.user_id
    JOIN courses AS course ON course.tenant_id = :tenant AND course.id = place.course_id
    WHERE place.tenant_id = :tenant AND place.id = row.enrollment_id AND place.current
      AND learner.status = 'ACTIVE' AND course.status = 'PUBLISHED' LIMIT 1)"""
_IN_STATE: Mapping[str, Conditions] = {
    "valid": (Condition(where=f"{_VALID} AND (row.expires_at IS NULL OR row.expires_at > {_NOW})"),),
    "expiring": (
        Condition(
            where=f"""{_VALID} AND row.expires_at > {_NOW}
                AND row.expires_at <= {_NOW} + interval '{EXPIRING.days} days'""",
            bounds="expires_at",
            order=(Walk(keys=("expires_at",)),),
        ),
    ),
    "expired": (_EXPIRY,),
    # The holder has to take the course again, and has not started.
    "renewal": (_EXPIRY, Condition(where=_TO_RENEW)),
    "revoked": (Condition(where="row.revoked_at IS NOT NULL", leads=NEWEST.keys, order=(NEWEST,)),),
    "failed": (Condition(where=_HAS_FAILED, leads=NEWEST.keys, order=(NEWEST,)),),
}
# These have their own order.
STATES_WITH_OWN_ORDER = ("expiring", "expired", "renewal", "revoked", "failed")
_COURSES_BY_TITLE = "SELECT unnest(:titled::uuid[]) AS id"
_PEOPLE = "SELECT unnest(:people::uuid[]) AS id"


async def _match_text(tx: Tx, query: CertificateSearch, reach: Reach) -> Conditions:
    """Searches a whole verification code, or people or courses as their lists do."""
    typed = (query.q or "").strip()
    if code := rules.parse_code(typed):
        found = "SELECT id FROM certificates WHERE tenant_id = :tenant AND code = :code"
        return [Condition(where="row.code = :code", params={"code": code}, ids=found)]
    found_people = words.find_typed(tx, typed, "user_id")
    titled, _ = await list_ids(tx, COURSES, CourseSearch(q=typed), limit=_MAX_COURSES if typed else 0)
    if not titled or not found_people:
        return found_people
    few = await find_few_ids(tx, PEOPLE, PeopleQuery(q=typed), EVERYONE)
    return [_either(found_people, titled, few)]


def _either(found_people: Conditions, titled: list[UUID], few: list[UUID] | None) -> Condition:
    named = " AND ".join(each.where for each in found_people)
    params = {name: value for each in found_people for name, value in each.params.items()}
    condition = Condition(
        where=f"(({named}) OR row.course_id = ANY(:titled)) IS TRUE", params=params | {"titled": titled}
    )
    if few is None:
        return condition
    branches = (
        Branch(_COURSES_BY_TITLE, "row.course_id = value.id"),
        Branch(_PEOPLE, "row.user_id = value.id"),
    )
    params = {**condition.params, "people": few}
    return structs.replace(condition, params=params, leads=_ISSUE_KEYS, branches=branches)


def _within(reach: Reach) -> Conditions:
    """Limits instructors to certificates of their courses, and managers to those of their people."""
    if reach.role != "instrutor":
        return people.in_reach(reach, "user_id")
    return (
        structs.replace(taught("course_id", "issued_at", "expires_at"), params={"reach_user": reach.user_id}),
    )


CERTIFICATE_ROWS = List(
    name="certificates/listed",
    table="certificates",
    kind=ListedCertificate,
    columns={
        "user_email": """CASE WHEN row.erased_at IS NULL THEN (
            SELECT email FROM users WHERE tenant_id = :tenant AND id = row.user_id) END""",
        "has_file": _HAS_FILE,
        "failed": _HAS_FAILED,
    },
    orders={"issued": _BY_ISSUE},
    default_walk=_BY_ISSUE,
    filters={
        "user": of_person("user"),
        "enrollment": Condition(
            where="row.enrollment_id = :enrollment",
            ids="SELECT id FROM certificates WHERE tenant_id = :tenant AND enrollment_id = :enrollment",
        ),
        "q": _match_text,
        "course": Condition(where="row.course_id = :course", leads=("issued_at", "expires_at")),
        "status": _IN_STATE,
        "since": since_day("issued_at"),
        "until": until_day("issued_at"),
    },
    reach=_within,
)
FILES = CERTIFICATE_ROWS.with_kind(
    CertificateFile, "certificates/files", columns={}, always=(Condition(where=_HAS_FILE),)
)
CERTIFICATES = List(
    name="certificates",
    table="certificates",
    kind=StoredCertificate,
    filters={
        "updated_since": CHANGED_SINCE,
        "user_id": of_person("user_id"),
        "course_id": Condition(where="row.course_id = :course_id", leads=("created_at",)),
    },
)
OF_USER = structs.replace(CERTIFICATES, name="users/certificates")


def of_user(user_id: UUID, query: SyncQuery) -> CertificatesQuery:
    return CertificatesQuery(user_id=user_id, **structs.asdict(query))
