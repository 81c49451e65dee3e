"""Recipients, and rows of the outbox at each step."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from msgspec import Meta, Struct
from msgspec.structs import force_setattr

from trilha.core.moments import Day
from trilha.core.types import STORABLE, Email, Timestamp
from trilha.core.web.pagination import ListQuery
from trilha.platform.mail.catalogue import AnyMessage

Locale = Literal["pt-BR", "en"]


class Recipient(Struct, frozen=True):
    """A person who receives e-mail. Raises Refused for an invalid address.

    `time_zone` is the IANA time zone for displayed times. `user_id` is None for a recipient who is not a
    user; messages to a user are deleted when the user is erased.
    """

    email: str
    name: str
    locale: Locale
    time_zone: str = "America/Sao_Paulo"
    user_id: UUID | None = None

    def __post_init__(self) -> None:
        force_setattr(self, "email", Email.parse(self.email))


class Content(Struct, frozen=True):
    """The values of an e-mail's text; stored sealed."""

    name: str
    time_zone: str
    message: AnyMessage


class ClaimedMessage(Struct, frozen=True):
    """A message for this worker to send. `attempts` includes this attempt and identifies whose result is
    recorded.
    """

    id: UUID
    tenant_id: UUID
    locale: Locale
    to_email: str
    subject: str
    content: bytes
    attempts: int
    created_at: Timestamp
    request_id: str | None = None  # the request that caused it
    traceparent: str | None = None
    user_id: UUID | None = None  # the recipient, if it is a user


class Brand(Struct, frozen=True):
    """A tenant's brand. `colour` is `#rrggbb`."""

    name: str
    colour: str | None = None


class Mail(Struct, frozen=True):
    """A rendered e-mail, ready for any transport."""

    id: UUID
    sender: str
    to_email: str
    created_at: datetime
    content: bytes  # RFC 5322, with CRLF
    utf8: bool  # an address requires RFC 6531


class SendResult(Struct, frozen=True):
    """The result of an attempt. If `error` is None, the message was sent.

    `error` is a key of `rules.ERRORS`, and `reply` is the server's text. A `final` error is not retried.
    """

    error: str | None = None
    reply: str | None = None
    final: bool = False


class SentMessage(Struct, frozen=True):
    """A row of the outbox, without the text. `status` is PENDING, SENT or FAILED."""

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
    """`q` is a part of the recipient's address; `since` is the first day, in the tenant's time zone."""

    status: MailStatus | None = None
    since: Day | None = None
    q: Annotated[str, Meta(max_length=200, extra_json_schema=STORABLE)] | None = None
