"""Fields, sentences and helpers that the forms of sign-in share."""

from typing import Annotated

from msgspec import Meta, Struct

from trilha.core.types import STORABLE
from trilha.core.web.routes import Refusal
from trilha.kit import N_, Form, build_refused_form
from trilha.web.learn.security.error_messages import PASSWORDS

Next = Annotated[str, Meta(max_length=2000, extra_json_schema=STORABLE)]


class Start(Struct, frozen=True):
    """The query of the sign-in page.

    `next` is the path of ours to go to afterwards. `password` shows the password form although the company
    requires its provider.
    """

    tenant: str = ""
    next: Next = ""
    password: bool = False


_SECRET = ("password", "current_password", "new_password", "code")
_SENTENCES = {
    **PASSWORDS,
    "invalid_value": N_("Enter your company's short name, using only letters, numbers and hyphens."),
    "no_provider": N_(
        "We found no company sign-in for this e-mail domain. Enter your company's short name instead."
    ),
}


def rebuild_form(refusal: Refusal, **sentences: str) -> Form:
    """Builds the form anew with what the person typed, except secrets.

    `sentences` are msgids by error code, for this form only.
    """
    values = {name: value for name, value in refusal.values.items() if name not in _SECRET}
    return build_refused_form(values, refusal.failure, **(_SENTENCES | sentences))
