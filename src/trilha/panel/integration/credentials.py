"""What the forms of API keys and of OAuth clients have in common."""

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Annotated, Any

from msgspec import Meta, Struct

from trilha.api_keys.schema import ApiKey
from trilha.core.credentials import CredentialRefused, Scope, check_networks
from trilha.core.errors import Problem, problem
from trilha.core.types import STORABLE
from trilha.core.web.answers import Html
from trilha.core.web.routes import Refusal
from trilha.oauth.schema import KnownClient
from trilha.pages import N_
from trilha.panel.view import PanelView
from trilha.scim.tokens.schema import ScimToken

Networks = Annotated[str, Meta(max_length=2000, extra_json_schema=STORABLE)]
# What a scope opens, for people. Its own name is shown beside it.
SCOPES: dict[Scope, str] = {
    Scope.USERS_READ: N_("See people"),
    Scope.USERS_WRITE: N_("Add and change people, suspend and reactivate them"),
    Scope.COURSES_READ: N_("See courses and their modules"),
    Scope.COURSES_WRITE: N_("Change courses (opens nothing yet)"),
    Scope.ENROLLMENTS_READ: N_("See enrollments, progress and answers"),
    Scope.ENROLLMENTS_WRITE: N_("Enroll one person at a time"),
    Scope.ENROLLMENTS_BULK: N_("Enroll up to 1,000 people at once"),
    Scope.CERTIFICATES_READ: N_("See certificates"),
    Scope.ANALYTICS_READ: N_("See reports, statistics and exports"),
    Scope.WEBHOOKS_READ: N_("See webhooks, deliveries and events"),
    Scope.WEBHOOKS_WRITE: N_("Create, change, test and delete webhooks"),
}
GRACES: dict[int, str] = {
    0: N_("Stop at once"),
    1: N_("Work for 1 hour more"),
    24: N_("Work for 1 day more"),
    72: N_("Work for 3 days more"),
    168: N_("Work for 7 days more"),
}
# What the codes of these fields mean in these forms.
SENTENCES = {
    "invalid_type": N_("Enter addresses or networks, such as 203.0.113.0/24, separated by commas."),
    "not_in_future": N_("Choose today or a later day."),
}


class Rotation(Struct, frozen=True):
    """`grace` is in hours."""

    grace: Annotated[int, Meta(ge=0, le=168)] = 24

    @property
    def lasts(self) -> timedelta:
        return timedelta(hours=self.grace)


def asked_to_rotate(
    view: PanelView,
    refusal: Refusal | None,
    owner: ApiKey | KnownClient | ScimToken,
    section: tuple[str, str],
) -> Html:
    """The page that asks how long the present secret goes on. `section` is a msgid and its address."""
    return view.form(
        "panel/integration/rotate.html",
        refusal,
        {"grace": 24},
        owner=owner,
        section=section,
        graces=GRACES,
    )


def problems_of(values: Mapping[str, Any]) -> Iterator[Problem]:
    """Of the scopes and the networks, which each have the rules of what they are for."""
    if not values.get("scopes"):
        yield problem("scopes", "invalid_value")
    try:
        check_networks(values.get("networks") or "")
    except CredentialRefused:
        yield problem("networks", "invalid_type")
