"""A message as it goes over the wire (RFC 5322): the same bytes at each attempt."""

from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP, SMTPUTF8
from uuid import UUID

from trilha.core.types import Email, Timestamp
from trilha.mail import rendering
from trilha.mail.schema import Brand, Content, Locale, Mail


def compose(
    id: UUID,
    content: Content,
    *,
    to_email: str,
    locale: Locale,
    sender: str,
    brand: Brand,
    created_at: Timestamp,
) -> Mail:
    """`sender` as `settings.sender` has it."""
    words = rendering.render(content, locale, brand)
    own_name, email = split_sender(sender)
    utf8 = not (to_email + email).isascii()
    message = EmailMessage(SMTPUTF8 if utf8 else SMTP)
    message["From"] = _address(own_name or brand.name, email)
    message["To"] = _address(content.name, to_email)
    message["Subject"] = words.subject
    message["Date"] = created_at.moment()
    message["Message-ID"] = message_id(id, email)
    # RFC 3834 §5: nobody's out-of-office note answers this.
    message["Auto-Submitted"] = "auto-generated"
    message["Content-Language"] = locale
    message.set_content(words.text, cte="quoted-printable")
    message.add_alternative(words.html, subtype="html", cte="quoted-printable")
    message.set_boundary(f"=_{id.hex}")
    return Mail(id, email, to_email, created_at.moment(), message.as_bytes(), utf8)


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
    plain = " ".join("".join(each if each.isprintable() else " " for each in name).split())
    return Address(plain, local, domain)
