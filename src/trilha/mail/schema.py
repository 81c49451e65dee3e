"""Whom an e-mail goes to, and its row at each step."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from msgspec import Meta, Struct
from msgspec.structs import force_setattr

from trilha.core.types import Email, Timestamp
from trilha.core.web.pagination import ListQuery
from trilha.mail.catalogue import AnyMessage

Locale = Literal["pt-BR", "en"]


class Recipient(Struct, frozen=True):
    """A person as they are written to. Raises Refused for what is no e-mail address.

    `time_zone` is what moments are shown in, by its IANA name. `user_id` is None of who is no user: what was
    sent to one goes when they are erased.
    """

    email: str
    name: str
    locale: Locale
    time_zone: str = "America/Sao_Paulo"
    user_id: UUID | None = None

    def __post_init__(self) -> None:
        force_setattr(self, "email", Email.parse(self.email))


class Content(Struct, frozen=True):
    """What the text of an e-mail is made of; stored sealed."""

    name: str
    time_zone: str
    message: AnyMessage


class ClaimedMessage(Struct, frozen=True):
    """One that a worker is to send. `attempts` has this attempt in it, and tells whose result is written."""

    id: UUID
    tenant_id: UUID
    locale: Locale
    to_email: str
    subject: str
    content: bytes
    attempts: int
    created_at: Timestamp


class Brand(Struct, frozen=True):
    """How a tenant shows itself. `colour` is `#rrggbb`."""

    name: str
    colour: str | None = None


class Mail(Struct, frozen=True):
    """An e-mail in words, ready for any way of sending."""

    id: UUID
    sender: str
    to_email: str
    created_at: datetime
    content: bytes  # RFC 5322, with CRLF
    utf8: bool  # an address in it needs RFC 6531


class SendResult(Struct, frozen=True):
    """How an attempt ended; sent where `error` is None.

    `error` is one of `rules.ERRORS`, `reply` what the mail server said where it refused. A `final` one is not
    worth another attempt.
    """

    error: str | None = None
    reply: str | None = None
    final: bool = False


class SentMessage(Struct, frozen=True):
    """A row of the outbox, without its text. `status` is PENDING, SENT or FAILED."""

    id: UUID
    kind: str
    locale: Locale
    to_email: str
    subject: str
    status: str
    attempts: int
    next_attempt_at: Timestamp | None
    error: str | None
    reply: str | None
    sent_at: Timestamp | None
    created_at: Timestamp


MailStatus = Literal["PENDING", "SENT", "FAILED"]


class MailQuery(ListQuery, frozen=True, kw_only=True):
    """`q` is a part of an address that was written to, `since` when it was written at the earliest."""

    status: MailStatus | None = None
    since: Timestamp | None = None
    q: Annotated[str, Meta(max_length=200)] | None = None
