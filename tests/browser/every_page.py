"""Lists every page of the product, derived from the declared routes.

If the address of a page has an id, the id comes from the first link to the page on its list, as for a person.
"""

import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from functools import cache

from msgspec import Struct

from trilha import app as trilha_app
from trilha.access.permissions.roles import ROLES, Requires
from trilha.core.clock import system_clock
from trilha.core.database import Database
from trilha.core.database.logins import ServingUrls
from trilha.core.secrets import Keyring
from trilha.core.web.callers import Public
from trilha.core.web.routes import Route
from trilha.people.users.schema import Role
from trilha.settings import Settings
from trilha.web.panel import feature as panel

# GET routes that are not pages.
PARTS = {
    "/": "leads to the reader's home",
    "/admin/units/people": "options of a field",
    "/admin/courses/people": "options of a field",
    "/admin/courses/{course_id}/modules": "a part of the page of a course",
    "/admin/courses/{course_id}/modules/{module_id}/outline": "a part of the page of a course",
    "/admin/answers/{answer_id}/recording": "a file",
    "/admin/voice-answers": "leads to the answers",
    "/admin/enrollments/people": "options of a field",
    "/admin/classes/instructors": "options of a field",
    "/admin/classes/people": "options of a field",
    "/admin/sessions/{class_session_id}": "leads to the class",
    "/admin/choices/courses": "options of a field",
    "/admin/choices/groups": "options of a field",
    "/admin/choices/paths": "options of a field",
    "/admin/choices/units": "options of a field",
    "/admin/media/{file_id}": "an image",
    "/admin/editor/{name}": "a script",
    "/admin/courses/{course_id}/modules/{module_id}/lesson.md": "a file",
    "/admin/packages/{package_id}/progress": "a part of the page of a package",
    "/admin/people/import/{import_id}/progress": "a part of the page of an import",
    "/admin/people/import/{import_id}/report": "a file",
    "/admin/people/import/template": "a file",
    "/admin/paths/{path_id}/progress": "a part of the page of a path",
    "/admin/settings/appearance/preview": "a part of the page of the appearance",
    "/admin/audit.csv": "a file",
    "/admin/certificates.zip": "a file",
    "/admin/certificates/{certificate_id}/pdf": "a file",
    "/admin/courses/{course_id}/project/{number}/pdf": "a file",
    "/admin/certificates/templates/preview": "a part of the editor of a template",
    "/admin/certificates/templates/preview.webp": "an image",
    "/learn/certificates/{certificate_id}/badge": "a file",
    "/learn/certificates/{certificate_id}/pdf": "a file",
    "/learn/notifications/unread": "a part of the header",
    "/learn/push-worker.js": "a script",
    "/learn/manifest.webmanifest": "a file",
    "/admin/external-certificates/{external_certificate_id}/file": "a file",
    "/admin/statements/{statement_id}/json": "a file",
    "/admin/statements/{statement_id}/attachments/{sha2}": "a file",
    "/admin/practice/assessments/{practice_assessment_id}/photos/{photo_id}": "an image",
    "/learn/enrollments/{enrollment_id}/practice/{practice_module_id}/photos/{photo_id}": "an image",
    "/admin/qualifications/people": "options of a field",
    "/admin/qualifications/{qualification_id}/document": "a file",
    "/admin/learner-questions.csv": "a file",
    "/admin/attendance-worker.js": "a script",
    "/admin/sessions/{class_session_id}/list.pdf": "a file",
    "/admin/sessions/{class_session_id}/scans/{scan_id}/download": "a file",
    "/admin/sessions/{class_session_id}/check-in/code": "a part of the page of a code",
    "/admin/questions/import/template": "a file",
    "/admin/questions/export/{export_format}": "a file",
    "/admin/identity/{check_id}/pictures/{side}": "a picture",
    "/learn/security/passkeys/new": "leads away from an IP address: see test_passkeys.py",
    "/admin/courses/{course_id}/evaluations.csv": "a file",
    "/admin/enrollments.csv": "a file",
    "/admin/people.csv": "a file",
    "/admin/requirements/{requirement_id}/people.csv": "a file",
    "/admin/paths/{path_id}/people.csv": "a file",
    "/admin/enrollments/{enrollment_id}/evidence.json": "a file",
    "/admin/enrollments/{enrollment_id}/evidence.pdf": "a file",
    "/admin/reports/files/{export_id}/progress": "a part of the page of a file",
    "/admin/reports/files/{export_id}/download": "leads to a file",
    "/admin/sso/{connection_id}/test": "leads to a provider",
    "/admin/bulk-actions/{action_id}/progress": "a part of the page of a bulk action",
    # Each is asked by a form with the selected rows.
    **{
        f"/admin{route.path}": "leads to the list"
        for routes in panel.PAGES
        for route in routes.all
        if route.method == "GET" and "/bulk/" in route.path
    },
}
LESSON = "/admin/courses/{course_id}/modules/{module_id}"
TRANSLATION = "/admin/courses/{course_id}/languages/{language}"
QUIZ = "/admin/courses/{course_id}/modules/{module_id}/quiz"
# Pages that exist only after some action: the scenes open them.
AFTER = frozenset(
    {
        "/admin/api-keys/{key_id}/secret",
        "/admin/oauth-clients/{client_id}/secret",
        "/admin/webhooks/{webhook_id}/secret",
        "/admin/scim/{token_id}/secret",
        "/admin/xapi-keys/{xapi_key_id}/secret",
        "/admin/enrollments/{enrollment_id}/modules/{module_id}/waive",
        "/admin/meetings/{meeting_service}/remove",
        *(f"/admin/xapi-pipes/{{pipe_id}}{path}" for path in ("", "/edit", "/pause", "/delete")),
        "/admin/people/import/{import_id}/columns",
        "/admin/people/{user_id}/requirements/{requirement_id}/excuse",
        "/learn/enrollments/{enrollment_id}/evaluation",
        "/learn/enrollments/{enrollment_id}/evaluation/follow-up",
        "/admin/learner-questions/{learner_question_id}",
        *(f"/admin/sessions/{{class_session_id}}{path}" for path in ("/attendance", "/check-in", "/scans")),
        "/admin/sessions/{class_session_id}/attendance/{user_id}",
        "/admin/sessions/{class_session_id}/attendance/{user_id}/signature",
        "/admin/sessions/{class_session_id}/scans/{scan_id}/remove",
        *(f"/learn/sessions/{{class_session_id}}{path}" for path in ("/signature", "/code")),
        "/admin/bulk-actions/{action_id}",
        "/admin/views/{view_id}/edit",
        "/admin/views/{view_id}/delete",
        "/learn/enrollments/{enrollment_id}/questions/{learner_question_id}",
        "/admin/external-certificates/{external_certificate_id}",
        "/admin/enrollments/{enrollment_id}/flags/{module_id}/{kind}/dismiss",
        *(f"/admin/practice/assessments/{{practice_assessment_id}}{path}" for path in ("", "/annul")),
        "/admin/practice/modules/{practice_module_id}",
        "/learn/enrollments/{enrollment_id}/practice/{practice_module_id}",
        "/learn/security/recovery-codes",
        "/learn/security/passkeys/{passkey_id}",
        "/learn/enrollments/{enrollment_id}/identity",
        "/admin/identity/{check_id}",
        "/admin/identity/enrollments/{enrollment_id}",
        "/learn/security/authenticator/remove",
        *(f"{TRANSLATION}{path}" for path in ("", "/remove", "/modules/{module_id}")),
        *(f"{TRANSLATION}/modules/{{module_id}}/questions{path}" for path in ("", "/{question_id}")),
        *(f"{LESSON}/versions{path}" for path in ("", "/{number}")),
        f"{LESSON}/classes/new",
        *(f"/admin/sessions/{{class_session_id}}/{path}" for path in ("edit", "cancel")),
        "/admin/classes/{class_id}/people/{registration_id}/cancel",
        *(f"{QUIZ}{path}" for path in ("", "/settings", "/questions/{question_id}")),
        *(f"{QUIZ}/questions/{path}" for path in ("new/{question_kind}", "{question_id}/preview")),
        f"{QUIZ}/questions/{{question_id}}/remove",
        f"{QUIZ}/questions/{{question_id}}/bank",
        f"{QUIZ}/bank",
        "/admin/questions/{bank_question_id}",
        "/admin/questions/{bank_question_id}/archive",
        "/admin/questions/{bank_question_id}/restore",
        "/admin/questions/new/{question_kind}",
        "/admin/questions/import/{question_import_id}",
        f"{QUIZ}/questions/{{question_id}}/media/{{slot}}",
        "/admin/answers/{answer_id}",
        "/learn/enrollments/{enrollment_id}/certificate",
        "/verify/{code}",
        "/admin/reports/files/{export_id}",
        "/admin/certificates/templates/{template_id}",
        "/admin/certificates/templates/{template_id}/archive",
        "/login/reset/{token}",
        "/login/email/{token}",
        "/login/code",
        "/login/sso/{protocol}",
        "/admin/sso/{connection_id}/sign-ins/{sign_in_id}",
    }
)
# Where the id for a page is found, if it is not on the page's list.
LISTS = {
    "/admin/people/{user_id}/reactivate": "/admin/people?status=SUSPENDED",
    "/admin/webhooks/{webhook_id}": "/admin/webhooks?state=active",
    "/learn/enrollments/{enrollment_id}": "/learn",
    "/learn/paths/{path_id}": "/learn",
}
Fetch = Callable[[str], Awaitable[str]]


class Address(Struct, frozen=True):
    """One page; `path` is the declared path of its route, with the prefix."""

    path: str
    url: str
    route: Route

    @property
    def name(self) -> str:
        return name_of(self.path)


def name_of(path: str) -> str:
    """Returns a file name such as `admin-people-id-edit`."""
    return re.sub(r"{[^}]+}", "id", path).strip("/").replace("/", "-") or "front"


@cache
def declared() -> Mapping[tuple[str, str], Route]:
    """Returns the routes of all page surfaces, by method and path."""
    nowhere = Database(ServingUrls("postgresql:///", "postgresql:///"), system_clock, Keyring([b"k" * 32]))
    surfaces = trilha_app.create_app(Settings(), nowhere).surfaces
    return {
        (route.method, surface.prefixes[0] + route.path): route
        for surface in surfaces
        if surface.media_type == "text/html"
        for route in surface.routes
    }


def paths(role: Role | None) -> Iterator[tuple[str, Route]]:
    """Returns all pages for this role, short paths first. None stands for a person who is not signed in."""
    for (method, path), route in sorted(declared().items(), key=lambda each: each[0][1].count("/")):
        if method == "GET" and path not in PARTS and path not in AFTER and _is_open(route, role):
            yield path, route


def _is_open(route: Route, role: Role | None) -> bool:
    if role is None or isinstance(route.access, Public):
        return role is None and isinstance(route.access, Public)
    return not isinstance(route.access, Requires) or route.access.permission in ROLES[role]


async def addresses(role: Role | None, fetch: Fetch, query: str = "") -> list[Address]:
    """Returns the addresses of all pages. `fetch` returns the text of a page; `query` is added to the sign-in
    pages.

    A page with an id is left out if no object exists yet.
    """
    found: dict[str, str] = {}
    for path, _ in paths(role):
        if (url := await _url(path, found, fetch)) is not None:
            found[path] = url
    return [
        Address(path, url + (query if path.startswith("/login") else ""), declared()["GET", path])
        for path, url in found.items()
    ]


async def _url(path: str, found: Mapping[str, str], fetch: Fetch) -> str | None:
    """Returns the address with an id for each parameter, or None if its list has no link to one."""
    url, parts = "", path.split("/")[1:]
    for number, part in enumerate(parts):
        if not part.startswith("{"):
            url += f"/{part}"
            continue
        prefix = "/" + "/".join(parts[:number])
        own = f"{prefix}/{part}"
        if path not in LISTS and own != path and own in found:
            url = found[own]
            continue
        source = LISTS.get(path) or _nearest(prefix, found)
        if source is None or (id := _linked(await fetch(source), url, _fixed(prefix))) is None:
            return None
        url += f"/{id}"
    return url


def _nearest(prefix: str, found: Mapping[str, str]) -> str | None:
    """Returns the closest page above an address."""
    while prefix and prefix not in found:
        prefix = prefix.rpartition("/")[0]
    return found.get(prefix)


def _fixed(prefix: str) -> set[str]:
    """Returns the fixed words that follow a prefix in other addresses."""
    return {
        path.removeprefix(prefix + "/").partition("/")[0]
        for _, path in declared()
        if path.startswith(prefix + "/")
    }


def _linked(page: str, url: str, fixed: set[str]) -> str | None:
    for id in re.findall(rf'href="{re.escape(url)}/([^"/?#]+)', page):
        if id not in fixed:
            return str(id)
    return None
