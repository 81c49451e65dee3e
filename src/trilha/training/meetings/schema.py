"""Services, their credentials, and requests for links."""

from typing import Annotated, Literal, get_args
from uuid import UUID

from msgspec import Meta, Struct

from trilha.core.types import Timestamp

ServiceKind = Literal["google_meet", "teams", "zoom"]
KINDS: tuple[ServiceKind, ...] = get_args(ServiceKind)
RequestStatus = Literal["PENDING", "DONE", "FAILED"]
Credential = Annotated[str, Meta(min_length=1, max_length=10_000)]


class Credentials(Struct, frozen=True):
    """What a service signs us in with; never shown or logged. `account` is the directory (tenant) id of
    Microsoft or the account id of Zoom, and `client_id` the e-mail of a Google service account. `secret` is a
    client secret, or the private key of a service account as PEM.
    """

    account: str
    client_id: str
    secret: str

    def __repr__(self) -> str:
        return "Credentials()"


class Service(Struct, frozen=True):
    """A service that is set up. `error` is why its last request failed."""

    kind: ServiceKind
    organizer: str
    error: str | None
    checked_at: Timestamp | None
    created_at: Timestamp


class OpenedService(Struct, frozen=True):
    kind: ServiceKind
    organizer: str
    credentials: Credentials


class Meeting(Struct, frozen=True):
    """What a call is about. `id` is that of the session, so that a service can recognize a repetition."""

    id: UUID
    title: str
    starts_at: str
    ends_at: str
    time_zone: str


class DueRequest(Struct, frozen=True):
    """A request that this worker has claimed."""

    session_id: UUID
    kind: ServiceKind
    attempts: int


class FailedRequest(Struct, frozen=True):
    """A session without a link, because its request failed or has not succeeded yet."""

    session_id: UUID
    class_id: UUID
    title: str
    starts_at: Timestamp
    kind: ServiceKind
    status: RequestStatus
    error: str | None
    updated_at: Timestamp
