"""The pages and actions that the search knows, by the permissions that they need."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from trilha.access.permissions.roles import Permission
from trilha.kit import N_
from trilha.web.guides import texts
from trilha.web.panel.help.pages import ADDRESS as HELP
from trilha.web.panel.help.pages import GUIDES
from trilha.web.panel.menu import ENTRIES
from trilha.web.panel.view import HOME, PanelView

P = Permission


class Place(Struct, frozen=True):
    """A page or action. `label` and `words` are msgids: `words` are further words by which people look for
    it.
    """

    label: str
    path: str
    icon: str
    permission: Permission
    words: str = ""


class NamedPlace(Struct, frozen=True):
    """A place in the reader's language. `below` says where it belongs."""

    label: str
    href: str
    icon: str
    below: str = ""
    words: str = ""


ACTIONS: Sequence[Place] = (
    Place(N_("Create course"), "/courses/new", "plus", P.COURSES_WRITE, N_("new add training")),
    Place(N_("Enroll person"), "/enrollments/new", "user-plus", P.ENROLLMENTS_WRITE, N_("enrollment add")),
    Place(N_("Bulk enroll"), "/enrollments/many", "users", P.ENROLLMENTS_WRITE, N_("many people list")),
    Place(N_("Add person"), "/people/new", "user-plus", P.PEOPLE_WRITE, N_("create new employee user")),
    Place(
        N_("Import people"), "/people/import/new", "upload", P.PEOPLE_IMPORT, N_("spreadsheet excel csv xlsx")
    ),
    Place(N_("Import package"), "/packages/new", "upload", P.COURSES_WRITE, N_("scorm upload zip")),
    Place(N_("Create path"), "/paths/new", "plus", P.PATHS_WRITE, N_("new add learning trail")),
    Place(N_("Create requirement"), "/requirements/new", "plus", P.REQUIREMENTS_WRITE, N_("new mandatory")),
    Place(N_("Create group"), "/groups/new", "plus", P.GROUPS_WRITE, N_("new add team")),
    Place(N_("Create unit"), "/units/new", "plus", P.UNITS_WRITE, N_("new add department branch")),
    Place(
        N_("Remind everyone who is overdue"),
        "/requirements/remind?state=OVERDUE",
        "bell",
        P.ENROLLMENTS_WRITE,
        N_("reminder late e-mail"),
    ),
    Place(N_("Create certificate template"), "/certificates/templates/new", "plus", P.CERTIFICATES_WRITE),
    Place(N_("Create API key"), "/api-keys/new", "plus", P.KEYS_MANAGE, N_("new token integration")),
    Place(N_("Create OAuth client"), "/oauth-clients/new", "plus", P.KEYS_MANAGE, N_("new integration")),
    Place(N_("Add webhook"), "/webhooks/new", "plus", P.WEBHOOKS_MANAGE, N_("create new integration")),
)
# Pages that the menu leads to by way of another one, and the label of that one.
INNER: Sequence[tuple[str, Place]] = (
    (N_("Settings"), Place(N_("Company"), "/settings", "settings", P.SETTINGS_WRITE, N_("name time zone"))),
    (
        N_("Settings"),
        Place(N_("Appearance"), "/settings/appearance", "palette", P.SETTINGS_WRITE, N_("logo color brand")),
    ),
    (
        N_("Settings"),
        Place(N_("Digital signature"), "/settings/signature", "signature", P.SETTINGS_WRITE, N_("pdf sign")),
    ),
    (N_("Settings"), Place(N_("Custom fields"), "/settings/custom-fields", "list", P.SETTINGS_WRITE)),
    (
        N_("Settings"),
        Place(
            N_("Sign-in"),
            "/settings/security",
            "shield-check",
            P.SETTINGS_WRITE,
            N_("password security login"),
        ),
    ),
    (
        N_("Settings"),
        Place(
            N_("Reminders"), "/settings/reminders", "bell", P.SETTINGS_WRITE, N_("e-mail notification due")
        ),
    ),
    (
        N_("Settings"),
        Place(
            N_("Evaluations"), "/settings/evaluations", "star", P.SETTINGS_WRITE, N_("survey satisfaction")
        ),
    ),
    (
        N_("Settings"),
        Place(N_("Retention"), "/settings/retention", "archive", P.SETTINGS_WRITE, N_("privacy data erase")),
    ),
    (N_("Settings"), Place(N_("E-mails"), "/outbox", "mail", P.SETTINGS_WRITE, N_("sent outbox failed"))),
    (
        N_("Certificates"),
        Place(N_("Certificate templates"), "/certificates/templates", "award", P.CERTIFICATES_WRITE),
    ),
    (
        N_("Certificates"),
        Place(
            N_("Certificates from elsewhere"),
            "/external-certificates",
            "award",
            P.ENROLLMENTS_WRITE,
            N_("upload check"),
        ),
    ),
    (
        N_("Enrollments"),
        Place(N_("Requests for enrollment"), "/enrollments/requests", "user-check", P.ENROLLMENTS_WRITE),
    ),
    (
        N_("Enrollments"),
        Place(
            N_("Requests for a new due date"),
            "/enrollments/extensions",
            "calendar-clock",
            P.ENROLLMENTS_WRITE,
        ),
    ),
    (
        N_("Mandatory training"),
        Place(
            N_("People and their mandatory training"),
            "/requirements/matrix",
            "shield-check",
            P.REQUIREMENTS_READ,
            N_("matrix overdue compliance"),
        ),
    ),
    (N_("Courses"), Place(N_("Packages"), "/packages", "package", P.COURSES_WRITE, N_("scorm"))),
    (N_("People"), Place(N_("Imports"), "/people/import", "upload", P.PEOPLE_IMPORT, N_("spreadsheet csv"))),
)


def list_actions(view: PanelView) -> list[NamedPlace]:
    return [_name(view, each) for each in ACTIONS if view.may(each.permission)]


def list_pages(view: PanelView) -> list[NamedPlace]:
    """Returns the menu's entries, the pages behind them, and the guides for their role."""
    entries = [
        NamedPlace(view.say(each.item.label), each.item.href, each.item.icon)
        for each in ENTRIES
        if view.may(each.permission)
    ]
    inner = [_name(view, place, view.say(above)) for above, place in INNER if view.may(place.permission)]
    return [*entries, *inner, *_list_guides(view)]


def _list_guides(view: PanelView) -> Iterator[NamedPlace]:
    guide = GUIDES[view.viewer.role]
    address = f"{HELP}/{guide}"
    for topic in texts.topics(view.locale, guide):
        article = texts.get(view.locale, guide, topic, address)
        href = address if topic == texts.INDEX else f"{address}/{topic}"
        yield NamedPlace(article.title, href, "book-open-text", view.say(N_("Help")))


def _name(view: PanelView, place: Place, below: str = "") -> NamedPlace:
    words = view.say(place.words) if place.words else ""
    return NamedPlace(view.say(place.label), HOME + place.path, place.icon, below, words)
