"""Composes messages for the wire (RFC 5322). Each attempt sends the same bytes."""

import base64
from datetime import datetime
from email.headerregistry import Address
from email.message import EmailMessage, Message
from email.policy import SMTP, SMTPUTF8
from uuid import UUID

from trilha.core.types import Email
from trilha.platform.mail import rendering, rules
from trilha.platform.mail.catalogue import Reminders
from trilha.platform.mail.delivery import meetings
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
    request_id: str | None = None,
) -> Mail:
    """Composes a message. `sender` has the format of `settings.sender`; `request_id` is that of its cause."""
    words = rendering.render(content, locale, brand)
    own_name, email = split_sender(sender)
    utf8 = not (to_email + email).isascii()
    message = EmailMessage(SMTPUTF8 if utf8 else SMTP)
    message["From"] = _address(own_name or brand.name, email)
    message["To"] = _address(rules.greeting_name(content.name), to_email)
    message["Subject"] = _clean(words.subject)
    message["Date"] = created_at
    message["Message-ID"] = message_id(id, email)
    # RFC 3834 §5: prevents out-of-office replies
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(words.text, cte="quoted-printable")
    message.add_alternative(words.html, subtype="html", cte="quoted-printable")
    if meeting := meetings.find_meeting(content.message):
        calendar = meetings.build_calendar(
            meeting,
            organizer=(_clean(own_name or brand.name), email),
            attendee=(_clean(rules.greeting_name(content.name)), to_email),
            locale=locale,
            created_at=created_at,
        )
        # Last, because programs take the last alternative that they know.
        part = _build_calendar_part(calendar, meetings.get_method(meeting))
        message.attach(part)  # type: ignore[arg-type]
    message["Content-Language"] = locale
    if request_id:
        message["X-Trilha-Request"] = request_id
    if isinstance(content.message, Reminders):
        for item in content.message.items:
            message["X-Trilha-Reminder"] = f"{item.kind} {item.enrollment_id}"
    message.set_boundary(f"=_{id.hex}")
    content_bytes = message.as_bytes()
    if _header_names(content_bytes) != message.keys():
        raise ValueError("a value has become a header")
    return Mail(id, email, to_email, created_at, content_bytes, utf8)


def _build_calendar_part(calendar: str, method: str) -> Message:
    """Builds the part of RFC 6047. EmailMessage would quote its parameters, which not all programs take."""
    part = Message()
    part["Content-Type"] = f"text/calendar; charset=utf-8; method={method}"
    part["Content-Transfer-Encoding"] = "base64"
    part.set_payload(base64.encodebytes(calendar.encode()).decode())
    return part


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
    plain = "".join(" " if each in _SPECIAL else each for each in name)
    return Address(_clean(plain), local, domain)


def _clean(text: str) -> str:
    """Removes what could end a header: line ends, and encoded words (RFC 2047), which the standard library
    decodes and whose line ends it would write unchanged.
    """
    plain = "".join(each if each.isprintable() else " " for each in text)
    return " ".join(plain.replace("=?", "= ?").split())


def _header_names(message: bytes) -> list[str]:
    """Lists the header names as a mail server sees them."""
    head = message.partition(b"\r\n\r\n")[0].decode()
    lines = head.split("\r\n")
    if any("\r" in line or "\n" in line for line in lines):
        raise ValueError("a header has a line end of its own")
    return [line.partition(":")[0] for line in lines if not line.startswith((" ", "\t"))]
