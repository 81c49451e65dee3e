"""The panel's menu. A new page that people should find from anywhere gets an entry here."""

from collections.abc import Sequence

from msgspec import Struct

from trilha.access.permissions.roles import ROLES, Permission
from trilha.access.permissions.viewer import Viewer
from trilha.kit import N_, MenuItem
from trilha.web.panel.view import HOME


class Entry(Struct, frozen=True):
    """A menu entry and the permission that it needs."""

    item: MenuItem
    permission: Permission


def _entry(permission: Permission, label: str, path: str, icon: str, section: str = "", *also: str) -> Entry:
    item = MenuItem(
        label=label,
        href=HOME + path,
        icon=icon,
        section=section,
        also=tuple(HOME + each for each in also),
        folded=section == _INTEGRATION,
        at_end=section == _COMPANY,
    )
    return Entry(item, permission)


P = Permission
_PEOPLE, _TRAINING = N_("People"), N_("Training")
_INTEGRATION, _COMPANY = N_("Integration"), N_("Company")
ENTRIES: tuple[Entry, ...] = (
    _entry(P.DASHBOARD_READ, N_("Overview"), "", "layout-dashboard"),
    _entry(P.PEOPLE_READ, N_("People"), "/people", "users", _PEOPLE),
    _entry(P.UNITS_READ, N_("Business units"), "/units", "network", _PEOPLE),
    _entry(P.GROUPS_READ, N_("Learning groups"), "/groups", "users-round", _PEOPLE),
    _entry(P.COURSES_READ, N_("Courses"), "/courses", "book-open", _TRAINING, "/packages", "/questions"),
    _entry(P.PATHS_READ, N_("Learning paths"), "/paths", "route", _TRAINING),
    _entry(P.REQUIREMENTS_READ, N_("Mandatory training"), "/requirements", "shield-check", _TRAINING),
    _entry(P.ENROLLMENTS_READ, N_("Enrollments"), "/enrollments", "graduation-cap", _TRAINING),
    _entry(P.CLASSES_READ, N_("Classes"), "/classes", "users", _TRAINING, "/sessions", "/calendar"),
    _entry(P.CERTIFICATES_READ, N_("Certificates"), "/certificates", "award", _TRAINING),
    _entry(P.REPORTS_READ, N_("Reports"), "/reports", "chart-no-axes-column", _TRAINING),
    _entry(P.IDENTITY_REVIEW, N_("Identity"), "/identity", "scan-face", _TRAINING),
    _entry(P.COURSES_WRITE, N_("Practice"), "/practice", "clipboard-list", _TRAINING, "/qualifications"),
    _entry(P.COURSES_WRITE, N_("Answers"), "/answers", "clipboard-check", _TRAINING),
    _entry(P.COURSES_WRITE, N_("Learners' questions"), "/learner-questions", "messages-square", _TRAINING),
    _entry(P.KEYS_MANAGE, N_("API keys"), "/api-keys", "key-round", _INTEGRATION),
    _entry(P.KEYS_MANAGE, N_("OAuth clients"), "/oauth-clients", "app-window", _INTEGRATION),
    _entry(P.KEYS_MANAGE, N_("xAPI keys"), "/xapi-keys", "key-square", _INTEGRATION),
    _entry(P.KEYS_MANAGE, N_("Single sign-on"), "/sso", "log-in", _INTEGRATION),
    _entry(P.KEYS_MANAGE, N_("SCIM"), "/scim", "refresh-cw", _INTEGRATION),
    _entry(P.KEYS_MANAGE, N_("Video calls"), "/meetings", "video", _INTEGRATION),
    _entry(P.WEBHOOKS_MANAGE, N_("Webhooks"), "/webhooks", "webhook", _INTEGRATION),
    _entry(P.WEBHOOKS_MANAGE, N_("xAPI pipes"), "/xapi-pipes", "forward", _INTEGRATION),
    _entry(P.EVENTS_READ, N_("Events"), "/events", "activity", _INTEGRATION),
    _entry(P.AUDIT_READ, N_("Learning records"), "/statements", "message-square-text", _INTEGRATION),
    _entry(P.AUDIT_READ, N_("Inspection"), "/inspection", "folder-search", _COMPANY),
    _entry(P.AUDIT_READ, N_("Audit log"), "/audit", "scroll-text", _COMPANY),
    _entry(P.SETTINGS_WRITE, N_("Settings"), "/settings", "settings", _COMPANY, "/outbox"),
)


def menu(viewer: Viewer) -> Sequence[MenuItem]:
    return [each.item for each in ENTRIES if each.permission in ROLES[viewer.role]]
