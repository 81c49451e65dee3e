"""A message as it goes over the wire (RFC 5322): the same bytes at each attempt."""

from datetime import datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP, SMTPUTF8
from uuid import UUID

from trilha.core.types import Email
from trilha.mail import rendering, rules
from trilha.mail.schema import Brand, Content, Locale, Mail

# RFC 5322 §3.2.3, but for the dot. The standard library loses the quotes around them where it folds a line.
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
    """`sender` as `settings.sender` has it."""
    words = rendering.render(content, locale, brand)
    own_name, email = split_sender(sender)
    utf8 = not (to_email + email).isascii()
    message = EmailMessage(SMTPUTF8 if utf8 else SMTP)
    message["From"] = _address(own_name or brand.name, email)
    message["To"] = _address(rules.greeting_name(content.name), to_email)
    message["Subject"] = words.subject
    message["Date"] = created_at
    message["Message-ID"] = message_id(id, email)
    # RFC 3834 §5: nobody's out-of-office note answers this.
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
    """Of the row: who gets it a second time can tell."""
    return f"<{id}@{sender.rpartition('@')[2]}>"


def split_sender(sender: str) -> tuple[str, str]:
    """Name, empty where there is none, and address."""
    name, bracket, email = sender.rpartition("<")
    return name.strip(), email.removesuffix(">") if bracket else sender


def _address(name: str, email: str) -> Address:
    """Raises Refused. A name cannot end its header, whatever is in it."""
    local, _, domain = Email.normalise(email).rpartition("@")
    plain = "".join(each if each.isprintable() and each not in _SPECIAL else " " for each in name)
    # The standard library decodes encoded words (RFC 2047) in a name, and writes their line ends as they are.
    return Address(" ".join(plain.replace("=?", "= ?").split()), local, domain)


def _header_names(message: bytes) -> list[str]:
    """As a mail server sees them."""
    lines = message.partition(b"\r\n\r\n")[0].decode().split("\r\n")
    return [line.partition(":")[0] for line in lines if not line.startswith((" ", "\t"))]
