"""The measured addresses: every page, with each filter, sort and search, and pairs of them.

They are derived from the routes. A parameter without a value here is an error, and no reason to skip a page.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from enum import Enum
from itertools import combinations, product
from typing import Any, Literal, NamedTuple, get_args, get_origin, get_type_hints
from urllib.parse import urlencode

import msgspec

from bench.company import (
    ADMIN,
    CPF,
    HALF_WAY,
    LEARNER,
    LINK_TOKEN,
    NEW_HERE,
    NOBODY,
    OWN,
    PERSON,
    VIEWERS,
    WITH_TWO_FACTORS,
    Viewer,
    row_id,
)
from trilha.access.permissions.roles import ROLES, Requires
from trilha.app import create_app
from trilha.core.clock import system_clock
from trilha.core.database import Database
from trilha.core.database.logins import ServingUrls
from trilha.core.moments import Day
from trilha.core.secrets import Keyring
from trilha.core.types import Choice
from trilha.core.web.answers import Stream
from trilha.core.web.files import StoredFile
from trilha.core.web.routes import NoQuery, Route
from trilha.settings import Settings

# A common word and a common pair, a rare word, common prefixes, an address, a CPF, an employee number, and a
# word without matches.
SEARCHES = (
    *("maria", "maria silva", "zoroastro", "m", "ma", f"pessoa.{PERSON}@companhia.example", CPF),
    *(f"M{PERSON:06}", "ninguém"),
)
# An enrollment with a thousand launches.
BUSY = OWN + 5
CODE = row_id("certificate", BUSY).hex[:16].upper()
_LAUNCH = row_id("launch", f"{PERSON}-1-1")
_LAST_EVENT = f"evt_{row_id('event', 0).hex}"
# By the name of a parameter in a path.
IN_PATH: Mapping[str, Sequence[object]] = {
    "passkey_id": [row_id("passkey", ADMIN.user)],
    "user_id": [row_id("user", PERSON), row_id("user", LEARNER)],
    "unit_id": [row_id("unit", 1), row_id("unit", 0)],
    "group_id": [row_id("group", 0)],
    "field_key": ["shift"],
    "requirement_id": [row_id("requirement", 0)],
    "class_id": [row_id("class", 0), row_id("class", 39)],
    "class_session_id": [row_id("class session", "0-1")],
    "path_id": [row_id("path", 0), row_id("path", 7)],
    "kind": ["TOO_FAST"],
    "question_kind": ["single"],
    "slot": ["picture", "audio"],
    "answer_id": [row_id("voice", 0), row_id("voice", 8)],
    "language": ["en"],
    "course_id": [row_id("course", 0), row_id("course", 100)],
    "package_id": [row_id("package", number) for number in (0, 1000, 1200)],
    "enrollment_id": [row_id("enrollment", PERSON), row_id("enrollment", BUSY)],
    "import_id": [row_id("import", number) for number in range(5)],
    "record_id": [row_id("audit", 0)],
    "key_id": [row_id("key", 0)],
    "client_id": [row_id("client", 0)],
    "webhook_id": [row_id("webhook", 0)],
    "delivery_id": [row_id("delivery", 0)],
    "pipe_id": [row_id("xapi pipe", 0)],
    "message_id": [row_id("mail", 0)],
    "certificate_id": [row_id("certificate", BUSY)],
    "practice_module_id": [row_id("module", 999_999)],
    "practice_assessment_id": [row_id("practice assessment", 0)],
    "photo_id": [row_id("practice photo", 0)],
    "qualification_id": [row_id("qualification", 0)],
    "external_certificate_id": [row_id("external certificate", 0)],
    "enrollment_request_id": [row_id("enrollment request", 0)],
    "learner_question_id": [row_id("learner question", 0)],
    "scan_id": [row_id("attendance scan", 0)],
    "bank_question_id": [row_id("bank question", 0)],
    "number": [1],
    "action_id": [row_id("bulk action", 0)],
    "view_id": [row_id("saved view", 0)],
    "question_import_id": [row_id("question import", 0)],
    "export_format": ["gift", "xml", "csv"],
    "template_id": [row_id("certificate template", 0)],
    "token_id": [row_id("scim token", 0)],
    "xapi_key_id": [row_id("xapi key", 0)],
    "statement_id": [row_id("statement", 0)],
    "sha2": ["0" * 64],
    "export_id": [row_id("export", 0), row_id("export", 60)],
    "protocol": ["oidc"],
    "meeting_service": ["zoom"],
    "guide": ["administrators"],
    "topic": ["security"],
    "domain_id": [row_id("email domain", 0)],
    "connection_id": [row_id("sso connection", 0)],
    "sign_in_id": [row_id("sign-in", 0)],
    "code": [CODE],
    "name": [_LAST_EVENT],
    "token": [LINK_TOKEN],
    "tag": ["users", "events"],
}
# By the start of a path whose values belong together: (the names, their values together).
_MODULES = [
    (row_id("course", course), row_id("module", course * 8 + n)) for course in (0, 5) for n in range(1, 6)
]
_QUIZZES = [(row_id("course", course), row_id("module", course * 8 + 5)) for course in (0, 1)]
TOGETHER: Mapping[str, tuple[Sequence[str], Sequence[Sequence[object]]]] = {
    "/admin/scim/guides/": (("name",), [("okta",)]),
    "/admin/sso/guides/": (("name",), [("okta",)]),
    "/admin/sso/{connection_id}/guides/": (
        ("connection_id", "name"),
        [(row_id("sso connection", 0), "okta")],
    ),
    "/admin/courses/{course_id}/languages/{language}/modules/{module_id}/questions": (
        ("course_id", "language", "module_id", "question_id"),
        [(row_id("course", 0), "en", row_id("module", 5), row_id("question", 5000 + n)) for n in range(3)],
    ),
    "/admin/courses/{course_id}/languages/{language}": (
        ("course_id", "language", "module_id"),
        [(course, "en", module) for course, module in _MODULES],
    ),
    "/admin/courses/{course_id}/modules/{module_id}/quiz/questions/{question_id}": (
        ("course_id", "module_id", "question_id"),
        [(row_id("course", 0), row_id("module", 5), row_id("question", 5000 + n)) for n in range(6)],
    ),
    "/admin/courses/{course_id}/modules/{module_id}/quiz": (("course_id", "module_id"), _QUIZZES),
    "/admin/courses/{course_id}/modules/{module_id}/classes": (
        ("course_id", "module_id"),
        [(row_id("course", 0), row_id("class module", 0))],
    ),
    "/admin/classes/{class_id}/people/{registration_id}": (
        ("class_id", "registration_id"),
        [(row_id("class", 0), row_id("registration", "0-0"))],
    ),
    "/admin/courses/{course_id}/modules/{module_id}": (("course_id", "module_id"), _MODULES),
    # A module that has review flags.
    "/admin/enrollments/{enrollment_id}/flags/": (
        ("enrollment_id", "module_id"),
        [(row_id("enrollment", BUSY), row_id("module", 5 * 8 + 1))],
    ),
    # The company has no cmi5 modules, and only those are waived: the page is not found.
    "/admin/enrollments/{enrollment_id}/modules/{module_id}/waive": (
        ("enrollment_id", "module_id"),
        [(row_id("enrollment", BUSY), row_id("module", 5 * 8 + 1))],
    ),
    "/admin/enrollments/{enrollment_id}/launches/{launch_id}": (
        ("enrollment_id", "launch_id"),
        [(row_id("enrollment", BUSY), row_id("launch", 0)), (row_id("enrollment", PERSON), _LAUNCH)],
    ),
    # Of a completed course, and of one that is not completed.
    "/learn/enrollments/{enrollment_id}/modules/{module_id}": (
        ("enrollment_id", "module_id"),
        [
            (row_id("enrollment", OWN + course), row_id("module", course * 8 + n))
            for course in (1, 5)
            for n in range(1, 6)
        ],
    ),
}
# By the name of a query parameter. For others, the type gives the values.
IN_QUERY: Mapping[str, Sequence[object]] = {
    "q": SEARCHES,
    "language": ["en"],
    "page": [1],
    "user": IN_PATH["user_id"],
    "unit": [row_id("unit", 0), row_id("unit", 1), row_id("unit", 59)],
    "parent": [row_id("unit", 1)],
    "group": [row_id("group", 0), row_id("group", 1)],
    "course": IN_PATH["course_id"],
    "class_id": IN_PATH["class_id"],
    "path": IN_PATH["path_id"],
    "module": [row_id("module", 1)],
    "quiz": [row_id("module", 5)],
    "category": [row_id("category", 0)],
    "replaces": [row_id("package", 1)],
    "enrollment": [row_id("enrollment", BUSY)],
    "target": [row_id("user", PERSON), row_id("enrollment", PERSON)],
    "actor": [row_id("user", 0), row_id("key", 0), "nobody"],
    "action": ["enrollment.", "user.suspended", "webhook."],
    "after": [5000],
    "code": ["", CODE],
    "looks": [1],
    "months": [3, 24],
    "file": ["0" * 64],  # a course without certificates
    "batch": [1],
    "place": [50],
    "limit": [100],
    "tenant": ["bench"],
    "next": ["/admin"],
    "brand_colour": ["#0b6677"],
    "connection": [row_id("sso connection", 0)],
    "verb": ["http://adlnet.gov/expapi/verbs/completed", "https://example.com/other"],
    "activity": ["https://example.com/nr35"],
    "registration": [row_id("enrollment", BUSY)],
    "person": [row_id("user", PERSON)],
    "reference": ["R7"],
    "requirement": [row_id("requirement", 0)],
    "instructor": [row_id("user", 2)],
    "job_title": ["Motorista"],
    "custom": ["shift:Noite"],
    "id": [row_id("user", PERSON)],
    "tenant_slug": ["bench"],
    "return_to": ["/admin"],
    "list": ["/admin/people"],
    "filters": ["status=active"],
    "at": [row_id("question", 5000)],
    "tag": ["nr-35"],
}
# In addition to SEARCHES, by path.
MORE_SEARCHES: Mapping[str, Sequence[str]] = {
    "/admin/courses": ["segurança", "parte 77"],
    "/admin/groups": ["turma", "turma 07"],
    "/admin/paths": ["trilha", "trilha 07"],
    "/admin/units": ["filial", "u12"],
    "/admin/audit": ["10.20.7.1", "enrollment", "segurança"],
    "/admin/events": [_LAST_EVENT],
    "/admin/api-keys": ["integração"],
    "/admin/oauth-clients": ["sistema"],
    "/admin/xapi-keys": ["simulador"],
    "/admin/statements": ["ana", "ana@example.com", "https://example.com/nr35"],
    "/admin/webhooks": ["hooks"],
    "/admin/outbox": ["companhia"],
    "/learn/catalog": ["segurança", "parte 77"],
    "/admin/choices/courses": ["segurança", "parte 77"],
    "/admin/choices/groups": ["turma", "turma 07"],
    "/admin/choices/paths": ["trilha", "trilha 07"],
    "/admin/choices/units": ["filial", "u12"],
}
# Parameters that pages do not offer: those of /v1, and those that only links use.
_LEFT_OUT = ("cursor", "fields")
# The viewers of pages that belong to one state of signing in.
_BY_STEP = {
    "/login": NOBODY,
    "/login/code": HALF_WAY,
    "/login/password": NEW_HERE,
    "/learn/security/authenticator/remove": WITH_TWO_FACTORS,
    "/learn/security/recovery-codes": WITH_TWO_FACTORS,
    "/learn/security/passkeys/{passkey_id}": ADMIN,
}
# Pages of one photo, which the company does not take.
_OF_PHOTOS = ("/identity/{check_id}", "/identity/enrollments/")
# Pages that only redirect, or that do not exist in this company.
LEADS = (
    *("/", "/admin/sso/{connection_id}/test", "/learn/certificates/{certificate_id}/badge"),
    "/learn/security/passkeys/new",  # at an IP address
    "/learn/enrollments/{enrollment_id}/identity",  # where no photos are taken
    "/admin/enrollments/{enrollment_id}/modules/{module_id}/waive",  # where no course is of cmi5
)
_DATES = (10, 300)
# The number of the far page of a list. Only the list without a filter is read this far.
FAR = 20


class Visit(NamedTuple):
    """One address for one viewer. For a list, pages are requested up to number `walk`."""

    page: str
    viewer: Viewer
    address: str
    walk: int = 1


class Page(NamedTuple):
    path: str
    route: Route


def pages() -> list[Page]:
    """Returns all pages that a browser shows: the GET routes that answer HTML."""
    # The database is not queried.
    unused = Database(ServingUrls("postgresql:///", "postgresql:///"), system_clock, Keyring([b"k" * 32]))
    surfaces = create_app(Settings(), unused).surfaces
    return [
        Page(surface.prefixes[0] + route.path, route)
        for surface in surfaces
        if surface.media_type == "text/html"
        for route in surface.routes
        if route.method == "GET" and not _is_download(route) and not route.path.startswith(_OF_PHOTOS)
    ]


def _is_download(route: Route) -> bool:
    """Tells whether the answer is a file, an endless stream, or an image for a page."""
    if route.path.endswith(("/recording", "/pdf", ".pdf", ".csv", "/download", "/preview.webp")):
        return True
    answer = get_type_hints(route.handler)["return"]
    return Stream in (answer, get_origin(answer)) or answer is StoredFile


def visits(page: Page, *, pairs: bool = True) -> Iterator[Visit]:
    """Returns its addresses, with each filter alone and with `pairs` of them. Raises LookupError for a
    parameter without a value here.
    """
    queries = [query for query in _queries(page) if pairs or len(query) < 2]
    is_list = page.route.query is not NoQuery and "cursor" in page.route.query.__struct_fields__
    for viewer in _viewers(page):
        for path in _paths(page.path):
            for query in queries if viewer.thorough else [each for each in queries if len(each) < 2]:
                address = f"{path}?{urlencode(query)}" if query else path
                walk = (FAR, 2)[len(query)] if is_list and len(query) < 2 else 1
                yield Visit(page.path, viewer, address, walk)


def _viewers(page: Page) -> Sequence[Viewer]:
    if page.path in _BY_STEP:
        return [_BY_STEP[page.path]]
    if isinstance(access := page.route.access, Requires):
        return [each for each in VIEWERS if access.permission in ROLES[each.role]]  # type: ignore[index]
    return [ADMIN]


def _paths(path: str) -> list[str]:
    begins = next((each for each in TOGETHER if path.startswith(each)), "")
    together, values = TOGETHER.get(begins, ((), [()]))
    names = [name for name in re.findall(r"{(\w+)}", path) if name not in together]
    if unknown := [name for name in names if name not in IN_PATH]:
        raise LookupError(f"{path} has a parameter without a value in bench/visits.py: {unknown}")
    return [
        path.format(**dict(zip(together, ones, strict=True)), **dict(zip(names, others, strict=True)))
        for ones, others in product(values, product(*(IN_PATH[name] for name in names)))
    ]


def _queries(page: Page) -> Iterator[dict[str, object]]:
    """Yields no filter, each filter alone, and each pair, but a page size only alone. Required parameters are
    always set.
    """
    if page.route.query is NoQuery:
        yield {}
        return
    fields = [
        field for field in msgspec.structs.fields(page.route.query) if field.encode_name not in _LEFT_OUT
    ]
    needed = {field.encode_name: _values(page.path, field)[0] for field in fields if field.required}
    choices = {
        field.encode_name: [*_values(page.path, field), *MORE_SEARCHES.get(page.path, ())]
        if field.encode_name == "q"
        else _values(page.path, field)
        for field in fields
        if not field.required
    }
    yield needed
    yield from (needed | {name: value} for name, values in choices.items() for value in values)
    for one, other in combinations([name for name in choices if name != "limit"], 2):
        yield from (needed | {one: a, other: b} for a, b in product(choices[one], choices[other]))


def _values(path: str, field: Any) -> Sequence[object]:
    if field.encode_name in IN_QUERY:
        return IN_QUERY[field.encode_name]
    found = [value for kind in _arms(field.type) for value in _values_of(kind)]
    if not found:
        raise LookupError(f"{path}?{field.encode_name}= has no value in bench/visits.py")
    return found


def _values_of(kind: Any) -> Sequence[object]:
    if get_origin(kind) is Literal:
        return get_args(kind)
    if kind is bool:
        return ["true"]
    if kind in (date, Day):
        return [(datetime.now(UTC) - timedelta(days=days)).date() for days in _DATES]
    if isinstance(kind, type) and issubclass(kind, Enum):
        return [each.value for each in kind]
    # There are many event types: a common one and one without events are enough.
    if getattr(kind, "__name__", "") == "EventTypeFilter":
        return ["enrollment.created", "user.suspended"]
    return kind.list_values() if isinstance(kind, type) and issubclass(kind, Choice) else []


def _arms(kind: Any) -> Iterator[Any]:
    """Returns the members of a union, without annotations."""
    if hasattr(kind, "__metadata__"):
        yield from _arms(kind.__origin__)
    elif get_origin(kind) is Literal or not get_args(kind):
        yield kind
    else:
        for each in get_args(kind):
            yield from _arms(each)
