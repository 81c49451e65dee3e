"""What the forms of sign-in have in common."""

from typing import Annotated

from msgspec import Meta, Struct

from trilha.core.types import STORABLE
from trilha.core.web.routes import Refusal
from trilha.learn.security.words import PASSWORDS
from trilha.pages import N_, Form, refused

Next = Annotated[str, Meta(max_length=2000, extra_json_schema=STORABLE)]


class Start(Struct, frozen=True):
    """`next` is where to go afterwards, a path of ours. `password` shows the form for one where few may use
    it."""

    tenant: str = ""
    next: Next = ""
    password: bool = False


_SECRET = ("password", "current_password", "new_password", "code")
_SENTENCES = {
    **PASSWORDS,
    "invalid_value": N_("Enter the short name: letters, digits and hyphens."),
    "no_provider": N_("No company signs in with addresses of this domain. Enter the company's short name."),
}


def shown_again(refusal: Refusal, **sentences: str) -> Form:
    """What was typed, but for secrets. `sentences` are msgids by error code, for this form alone."""
    values = {name: value for name, value in refusal.values.items() if name not in _SECRET}
    return refused(values, refusal.failure, **(_SENTENCES | sentences))
