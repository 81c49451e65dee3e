"""Pipes, as they are made and as they are stored."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from msgspec import Meta, Struct

from trilha.core.types import STORABLE, Name, Timestamp

Version = Literal["1.0.3", "2.0.0"]
Begin = Literal["now", "start"]
MAX_VERBS = 20


class NewPipe(Struct, frozen=True, kw_only=True):
    """`verbs` and `activity_prefix` limit what is forwarded. With `begin` "start", stored statements are
    forwarded too.
    """

    name: Name
    url: Annotated[str, Meta(min_length=1, max_length=2048, extra_json_schema=STORABLE)]
    username: Annotated[str, Meta(min_length=1, max_length=500, extra_json_schema=STORABLE)]
    password: Annotated[str, Meta(min_length=1, max_length=1000, extra_json_schema=STORABLE)]
    version: Version = "1.0.3"
    verbs: Annotated[list[str], Meta(max_length=MAX_VERBS)] = []
    activity_prefix: str | None = None
    begin: Begin = "now"


class PipeChange(Struct, frozen=True, kw_only=True):
    """What a pipe shall be. Without a password, the present one stays."""

    name: Name
    url: str
    username: str
    password: str | None
    version: Version
    verbs: list[str]
    activity_prefix: str | None


class Pipe(Struct, frozen=True):
    """A pipe without its password. `failures` are those in a row, `error` is why the last attempt failed, and
    `paused_at` is set if the worker has paused the pipe.
    """

    id: UUID
    name: str
    url: str
    username: str
    version: Version
    verbs: list[str]
    activity_prefix: str | None
    active: bool
    failures: int
    failing_since: Timestamp | None
    error: str | None
    http_status: int | None
    paused_at: Timestamp | None
    delivered_at: Timestamp | None
    next_attempt_at: Timestamp
    forwarded: int
    refused: int
    refused_id: UUID | None
    created_at: Timestamp


class Backlog(Struct, frozen=True):
    """The statements that are still to be forwarded, before the pipe's filter: up to a maximum, and the time
    of the oldest in microseconds since 1970.
    """

    count: int
    oldest: int | None


class ClaimedPipe(Struct, frozen=True):
    """What a worker needs to forward. `password` is sealed."""

    id: UUID
    name: str
    url: str
    username: str
    password: bytes
    version: Version
    verbs: list[str]
    activity_prefix: str | None
    position: int
    failures: int
    failing_since: Timestamp | None


class Candidate(Struct, frozen=True):
    """A stored statement after the position of a pipe."""

    id: UUID
    stored: int
    verb: UUID
    voids: bool
    content: str
    attachments: list[str] | None


class SendResult(Struct, frozen=True, kw_only=True):
    """The answer to a request. `error` is set if there was none; `retry_after` is in seconds."""

    http_status: int | None = None
    error: str | None = None
    retry_after: float | None = None

    @property
    def is_success(self) -> bool:
        return self.http_status is not None and 200 <= self.http_status < 300

    @property
    def refuses(self) -> bool:
        """Whether the receiver takes the request but not these statements."""
        return self.http_status in (400, 409, 413, 422)


class Delivery(Struct, frozen=True, kw_only=True):
    """What became of a batch: the position after it, and how many statements were accepted. `failed` is the
    answer because of which the batch is sent again.
    """

    position: int
    forwarded: int = 0
    refused: list[UUID] = []
    http_status: int | None = None
    failed: SendResult | None = None


class Retry(Struct, frozen=True):
    """When a pipe that failed is tried again, or that it is paused."""

    at: datetime
    pauses: bool
