"""The permissions of each role: one table for pages, menus and tests."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import ClassVar

from msgspec import Struct

from trilha.access.permissions.viewer import SIGNED_IN, check_own_sign_in, check_signed_in, viewer_of
from trilha.core.errors import Forbidden
from trilha.core.web.callers import Caller
from trilha.people.users.schema import Role


class Permission(StrEnum):
    """`read` shows, `write` changes. The viewer's reach decides which rows."""

    DASHBOARD_READ = "dashboard.read"
    PEOPLE_READ = "people.read"
    PEOPLE_WRITE = "people.write"
    PEOPLE_ERASE = "people.erase"
    PEOPLE_IMPORT = "people.import"
    UNITS_READ = "units.read"
    UNITS_WRITE = "units.write"
    GROUPS_READ = "groups.read"
    GROUPS_WRITE = "groups.write"
    ENROLLMENTS_READ = "enrollments.read"
    ENROLLMENTS_WRITE = "enrollments.write"
    COURSES_READ = "courses.read"
    COURSES_WRITE = "courses.write"
    PATHS_READ = "paths.read"
    PATHS_WRITE = "paths.write"
    PATHS_ASSIGN = "paths.assign"
    REQUIREMENTS_READ = "requirements.read"
    REQUIREMENTS_WRITE = "requirements.write"
    CLASSES_READ = "classes.read"
    CLASSES_WRITE = "classes.write"
    CLASSES_REGISTER = "classes.register"
    CERTIFICATES_READ = "certificates.read"
    CERTIFICATES_WRITE = "certificates.write"
    FLAGS_DISMISS = "flags.dismiss"
    IDENTITY_REVIEW = "identity.review"
    REPORTS_READ = "reports.read"
    KEYS_MANAGE = "keys.manage"
    WEBHOOKS_MANAGE = "webhooks.manage"
    EVENTS_READ = "events.read"
    AUDIT_READ = "audit.read"
    SETTINGS_WRITE = "settings.write"
    LEARN = "learn"


P = Permission
# A manager sees and enrolls the people of their business units; an instructor sees the courses they teach and
# those courses' learners. Both see the certificates of these people. A manager sees every class and
# registers their people; an instructor sees their own classes.
ROLES: Mapping[Role, frozenset[Permission]] = {
    "admin": frozenset(Permission),
    "gestor": frozenset(
        {
            *(P.LEARN, P.DASHBOARD_READ, P.PEOPLE_READ, P.UNITS_READ, P.GROUPS_READ, P.COURSES_READ),
            *(P.ENROLLMENTS_READ, P.ENROLLMENTS_WRITE, P.REPORTS_READ, P.PATHS_READ, P.PATHS_ASSIGN),
            *(P.CERTIFICATES_READ, P.REQUIREMENTS_READ, P.CLASSES_READ, P.CLASSES_REGISTER),
        }
    ),
    "instrutor": frozenset(
        {
            *(P.LEARN, P.DASHBOARD_READ, P.PEOPLE_READ, P.COURSES_READ, P.COURSES_WRITE),
            *(P.ENROLLMENTS_READ, P.CERTIFICATES_READ, P.REPORTS_READ, P.CLASSES_READ),
        }
    ),
    "learner": frozenset({P.LEARN}),
}
# Any of these permissions gives access to the panel.
PANEL = frozenset(Permission) - {Permission.LEARN}


class Requires(Struct, frozen=True):
    """Requires a fully signed-in person whose role has this permission."""

    refusals: ClassVar[Sequence[str]] = (*SIGNED_IN.refusals, "not_permitted")
    permission: Permission

    def check(self, caller: Caller) -> None:
        check_signed_in(caller)
        if self.permission not in ROLES[viewer_of(caller).role]:
            raise Forbidden("not_permitted")


class RequiresOwnSignIn(Requires, frozen=True):
    """Requires the same of a person who has signed in themself, and not by a launch link."""

    refusals: ClassVar[Sequence[str]] = (*Requires.refusals, "signed_in_by_link")

    def check(self, caller: Caller) -> None:
        super().check(caller)
        check_own_sign_in(caller)


def may_oneself(permission: Permission) -> RequiresOwnSignIn:
    """Requires a permission and a sign-in of one's own, for what concerns the person's own account."""
    return RequiresOwnSignIn(permission)


def may(permission: Permission) -> Requires:
    return Requires(permission)
