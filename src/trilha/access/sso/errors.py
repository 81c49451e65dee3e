"""Why a sign-in is refused, and the error codes of connections.

The person is told one sentence and a reference. What was expected and what came is for the administrator: it
is kept in the sign-in log under the same reference.
"""

from trilha.core.errors import codes, register
from trilha.kit import N_

# The explanation of each reason for administrators, by its code.
REASONS: dict[str, str] = {}
_LONGEST = 300


class SignInRefused(Exception):
    """`expected` and `received` hold no secret, no token and no whole e-mail address.

    `received` may be of a stranger's choice: it is cut, and shown as text.
    """

    def __init__(self, code: str, expected: str | None = None, received: str | None = None) -> None:
        if code not in REASONS:
            raise TypeError(f"{code} is not registered")
        super().__init__(code)
        self.code = code
        self.expected = _clean(expected)
        self.received = _clean(received)


def register_reasons(**sentences: str) -> None:
    """Raises ValueError for one that is there already."""
    if known := REASONS.keys() & sentences.keys():
        raise ValueError(f"registered before: {', '.join(sorted(known))}")
    REASONS.update(sentences)


def mask_email(email: str) -> str:
    """Enough to tell one address from another by: `a***@example.com`."""
    local, at, domain = email.rpartition("@")
    return f"{local[:1]}***@{domain}" if at else f"{email[:1]}***"


def _clean(text: str | None) -> str | None:
    """As PostgreSQL can store it, and as a page shows it on one line."""
    if text is None:
        return None
    plain = "".join(character if character.isprintable() else "\ufffd" for character in text[: _LONGEST + 1])
    return plain if len(plain) <= _LONGEST else f"{plain[:_LONGEST]}…"


register_reasons(
    tenant_unknown=N_("The company does not exist or is suspended."),
    connection_missing=N_("The company has no enabled connection of this type."),
    connection_disabled=N_("The connection is not enabled."),
    flow_unknown=N_("No sign-in was started with this state, or its response was already received."),
    flow_expired=N_("The sign-in took longer than 10 minutes."),
    flow_of_other_connection=N_("The sign-in was started with a different connection."),
    other_browser=N_("The response arrived in a different browser from the one that started the sign-in."),
    subject_missing=N_("The provider did not identify the person."),
    email_missing=N_("The provider sent no e-mail address, and the person is not linked yet."),
    email_unreadable=N_("The e-mail address from the provider is not valid."),
    email_not_verified=N_("The provider says that the e-mail address is not verified."),
    domain_not_of_connection=N_("The e-mail address does not belong to any domain of this connection."),
    domain_not_verified=N_("The domain of the e-mail address is not verified."),
    other_subject=N_("The provider sent a different identifier for this person. Unlink the person first."),
    no_account=N_("The person does not exist, and the connection does not create people."),
    account_suspended=N_("The person is suspended."),
    account_inactive=N_("The person has left the company."),
    account_changed=N_("The person's record changed during the sign-in. Try again."),
    unfit_attribute=N_("The data from the provider cannot be stored."),
    people_quota_exceeded=N_("The company's plan allows no more active people."),
    replayed=N_("This response was already used."),
    failed=N_("An internal error occurred."),
)

register(
    "sso",
    codes(
        "authentication_error",
        401,
        ticket_invalid="The ticket was used, has expired, or belongs to another browser.",
    ),
    codes("not_found", 404, connection_not_found="There is no such connection."),
    codes(
        "business_rule",
        422,
        no_verified_domain="Verify one of the connection's domains before you enable it.",
        last_connection="Sign-in with the provider is required, so one connection must stay enabled.",
        no_enabled_connection="Enable a connection first.",
        no_break_glass="First choose an administrator with a password who can sign in without the provider.",
        person_not_linked="The person is not linked to this connection.",
        not_an_administrator="Only active administrators with a password can be exempt from the provider.",
    ),
)
