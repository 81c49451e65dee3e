"""What the forms of API keys, OAuth clients and SCIM tokens share."""

from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from typing import Annotated, Any

from msgspec import Meta, Struct

from trilha.core.credentials import CredentialRefused, Scope, check_networks
from trilha.core.database import Tx
from trilha.core.errors import Problem, invalid, problem
from trilha.core.moments import Day
from trilha.core.types import STORABLE, Name
from trilha.kit import N_
from trilha.web.panel.confirm import Confirmation
from trilha.web.panel.view import PanelView

Networks = Annotated[str, Meta(max_length=2000, extra_json_schema=STORABLE)]
# What each scope allows. Its name is shown beside the text.
SCOPES: dict[Scope, str] = {
    Scope.USERS_READ: N_("See people"),
    Scope.USERS_WRITE: N_("Add and change people, suspend and reactivate them"),
    Scope.COURSES_READ: N_("See courses and their modules"),
    Scope.COURSES_WRITE: N_("Create, change, publish and archive courses"),
    Scope.ENROLLMENTS_READ: N_("See enrollments, progress and answers"),
    Scope.ENROLLMENTS_WRITE: N_("Enroll one person at a time"),
    Scope.ENROLLMENTS_BULK: N_("Enroll up to 1,000 people at once"),
    Scope.CLASSES_READ: N_("See classes and attendance"),
    Scope.CLASSES_WRITE: N_("Manage classes and record attendance"),
    Scope.PRACTICE_READ: N_("See qualifications and practical assessments"),
    Scope.PRACTICE_WRITE: N_("Manage qualifications and assess practice"),
    Scope.CERTIFICATES_READ: N_("See certificates"),
    Scope.REQUIREMENTS_READ: N_("See requirements and where people stand"),
    Scope.REQUIREMENTS_WRITE: N_("Change requirements and remind people"),
    Scope.ANALYTICS_READ: N_("See reports, statistics and exports"),
    Scope.WEBHOOKS_READ: N_("See webhooks, deliveries and events"),
    Scope.WEBHOOKS_WRITE: N_("Create, change, test and delete webhooks"),
    Scope.XAPI_READ: N_("See learning records (xAPI)"),
    Scope.XAPI_WRITE: N_("Store learning records (xAPI)"),
}
# The texts for the error codes of these forms.
SENTENCES = {
    "invalid_type": N_("Enter addresses or networks, such as 203.0.113.0/24, separated by commas."),
    "not_in_future": N_("Choose today or a later day."),
}


class Rotation(Confirmation, frozen=True, kw_only=True):
    """`grace` is how many hours the present secret remains valid."""

    grace: Annotated[int, Meta(ge=0, le=168)] = 24

    @property
    def duration(self) -> timedelta:
        return timedelta(hours=self.grace)


class NewSecret(Struct, frozen=True, kw_only=True):
    """The form for a new secret. `networks` are those from which it works."""

    name: Name
    networks: Networks = ""

    @staticmethod
    def problems(values: Mapping[str, Any], today: date) -> Iterator[Problem]:
        try:
            check_networks(values.get("networks") or "")
        except CredentialRefused:
            yield problem("networks", "invalid_type")


class NewScopedSecret(NewSecret, frozen=True, kw_only=True):
    """The same for a secret with scopes of the API."""

    scopes: list[Scope] = []

    @staticmethod
    def problems(values: Mapping[str, Any], today: date) -> Iterator[Problem]:
        if not values.get("scopes"):
            yield problem("scopes", "invalid_value")
        yield from NewSecret.problems(values, today)

    def scope_names(self) -> list[str]:
        return [str(scope) for scope in dict.fromkeys(self.scopes)]


def lifetime_until(tx: Tx, view: PanelView, last_day: Day | None) -> timedelta | None:
    """Returns the time until the end of a day in the tenant's time zone. Raises Invalid (not_in_future)."""
    if last_day is None:
        return None
    lifetime = last_day.last(view.page.time_zone).moment() - tx.now
    if lifetime.total_seconds() <= 0:
        raise invalid("expires_on", "not_in_future")
    return lifetime
