"""The pages and actions that the search knows, by the permissions that they need."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from trilha.access.permissions.roles import Permission
from trilha.kit import N_
from trilha.web.guides import texts
from trilha.web.panel.help.pages import ADDRESS as HELP
from trilha.web.panel.help.pages import GUIDES
from trilha.web.panel.menu import ENTRIES, Entry
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
    Place(
        N_("Bulk enroll"),
        "/enrollments/many",
        "users",
        P.ENROLLMENTS_WRITE,
        N_("many people list mass employees"),
    ),
    Place(
        N_("Add person"),
        "/people/new",
        "user-plus",
        P.PEOPLE_WRITE,
        N_("create new employee user learner register"),
    ),
    Place(
        N_("Import people"),
        "/people/import/new",
        "upload",
        P.PEOPLE_IMPORT,
        N_("spreadsheet excel csv xlsx employees users learners HR"),
    ),
    Place(
        N_("Add qualification"),
        "/qualifications/new",
        "plus",
        P.PEOPLE_WRITE,
        N_("new instructor assessor register"),
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
# Further words for the pages of the menu, by their paths.
MENU_WORDS: Mapping[str, str] = {
    "": N_("dashboard home start pending to-do"),
    "/people": N_("employee user learner staff invitation manager administrator role permission register"),
    "/units": N_("branch department sector area store manager organization chart"),
    "/groups": N_("team class"),
    "/courses": N_("training class lesson video quiz exam"),
    "/paths": N_("program onboarding journey"),
    "/requirements": N_("compliance regulation NR recycling overdue expired renewal"),
    "/enrollments": N_("due date extend postpone cancel remove expired export registration"),
    "/certificates": N_("diploma validity expired renewal download"),
    "/reports": N_("export spreadsheet results figures completion history"),
    "/practice": N_("assessment checklist practical assessor NR-35"),
    "/answers": N_("grade score correct essay exam"),
    "/learner-questions": N_("question forum"),
    "/api-keys": N_("token integration ERP payroll"),
    "/oauth-clients": N_("integration application"),
    "/sso": N_("SSO Microsoft Entra Azure Google Okta SAML OpenID login"),
    "/scim": N_("provisioning synchronize people Microsoft Entra Azure Okta"),
    "/webhooks": N_("integration notify ERP"),
    "/events": N_("integration history"),
    "/audit": N_("log history who changed"),
    "/settings": N_("configuration company language"),
}
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
            N_("Reminders"),
            "/settings/reminders",
            "bell",
            P.SETTINGS_WRITE,
            N_("e-mail notification due date dunning"),
        ),
    ),
    (
        N_("Settings"),
        Place(
            N_("Evaluations"),
            "/settings/evaluations",
            "star",
            P.SETTINGS_WRITE,
            N_("evaluation survey satisfaction"),
        ),
    ),
    (
        N_("Settings"),
        Place(
            N_("Learning records"),
            "/settings/statements",
            "message-square-quote",
            P.SETTINGS_WRITE,
            N_("xAPI statements LRS tin can learning experience"),
        ),
    ),
    (
        N_("Settings"),
        Place(
            N_("Retention"),
            "/settings/retention",
            "archive",
            P.SETTINGS_WRITE,
            N_("privacy data erase delete"),
        ),
    ),
    (
        N_("Settings"),
        Place(N_("E-mails"), "/outbox", "mail", P.SETTINGS_WRITE, N_("emails sent outbox failed SMTP")),
    ),
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
    (N_("Classes"), Place(N_("Calendar"), "/calendar", "calendar-days", P.CLASSES_READ)),
    (
        N_("Practice"),
        Place(
            N_("Qualifications"),
            "/qualifications",
            "badge-check",
            P.PEOPLE_WRITE,
            N_("instructor assessor register council validity"),
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
    (
        N_("Courses"),
        Place(
            N_("Question bank"),
            "/questions",
            "library",
            P.COURSES_WRITE,
            N_("quiz exam test GIFT Moodle import"),
        ),
    ),
    (
        N_("Settings"),
        Place(
            N_("Limit of invitations"),
            "/outbox/invitations",
            "mail",
            P.SETTINGS_WRITE,
            N_("invite resend waiting"),
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
        NamedPlace(view.say(each.item.label), each.item.href, each.item.icon, words=_say_words(view, each))
        for each in ENTRIES
        if view.may(each.permission)
    ]
    inner = [_name(view, place, view.say(above)) for above, place in INNER if view.may(place.permission)]
    return [*entries, *inner, *_list_guides(view)]


def _say_words(view: PanelView, entry: Entry) -> str:
    words = MENU_WORDS.get(entry.item.href.removeprefix(HOME))
    return view.say(words) if words else ""


def _list_guides(view: PanelView) -> Iterator[NamedPlace]:
    guide, below = GUIDES[view.viewer.role], view.say(N_("Help"))
    address = f"{HELP}/{guide}"
    for topic in texts.topics(view.locale, guide):
        article = texts.get(view.locale, guide, topic, address)
        href = address if topic == texts.INDEX else f"{address}/{topic}"
        yield NamedPlace(article.title, href, "book-open-text", below, below)


def _name(view: PanelView, place: Place, below: str = "") -> NamedPlace:
    words = view.say(place.words) if place.words else ""
    return NamedPlace(view.say(place.label), HOME + place.path, place.icon, below, words)
