"""Composes messages for the wire (RFC 5322). Each attempt sends the same bytes."""

from datetime import datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP, SMTPUTF8
from uuid import UUID

from trilha.core.types import Email
from trilha.platform.mail import rendering, rules
from trilha.platform.mail.schema import Brand, Content, Locale, Mail

# Specials of RFC 5322 §3.2.3 without the dot. The standard library loses the quotes around them when it folds
# a line.
_SPECIAL = frozenset('"\\()<>[]:;@,')


def compose(
    id: UUID,
    content: Content,
    *,
    to_email: str,
    locale: Locale,
    sender: str,
    brand: Brand,
    created_at: datetime,
) -> Mail:
    """Composes a message. `sender` has the format of `settings.sender`."""
    words = rendering.render(content, locale, brand)
    own_name, email = split_sender(sender)
    utf8 = not (to_email + email).isascii()
    message = EmailMessage(SMTPUTF8 if utf8 else SMTP)
    message["From"] = _address(own_name or brand.name, email)
    message["To"] = _address(rules.greeting_name(content.name), to_email)
    message["Subject"] = words.subject
    message["Date"] = created_at
    message["Message-ID"] = message_id(id, email)
    # RFC 3834 §5: prevents out-of-office replies
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(words.text, cte="quoted-printable")
    message.add_alternative(words.html, subtype="html", cte="quoted-printable")
    message["Content-Language"] = locale
    message.set_boundary(f"=_{id.hex}")
    content_bytes = message.as_bytes()
    if _header_names(content_bytes) != message.keys():
        raise ValueError("a value has become a header")
    return Mail(id, email, to_email, created_at, content_bytes, utf8)


def message_id(id: UUID, sender: str) -> str:
    """Returns a Message-ID for the row, so that a recipient can recognize a duplicate."""
    return f"<{id}@{sender.rpartition('@')[2]}>"


def split_sender(sender: str) -> tuple[str, str]:
    """Splits a sender into a name, which may be empty, and an address."""
    name, bracket, email = sender.rpartition("<")
    return name.strip(), email.removesuffix(">") if bracket else sender


def _address(name: str, email: str) -> Address:
    """Builds an address that cannot break out of its header. Raises Refused."""
    local, _, domain = Email.normalise(email).rpartition("@")
    plain = "".join(each if each.isprintable() and each not in _SPECIAL else " " for each in name)
    # The standard library decodes encoded words (RFC 2047) in a name and would write their line ends
    # unchanged.
    return Address(" ".join(plain.replace("=?", "= ?").split()), local, domain)


def _header_names(message: bytes) -> list[str]:
    """Lists the header names as a mail server sees them."""
    lines = message.partition(b"\r\n\r\n")[0].decode().split("\r\n")
    return [line.partition(":")[0] for line in lines if not line.startswith((" ", "\t"))]
