"""What goes through federated sign-in."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from msgspec import Struct


class FederatedIdentity(Struct, frozen=True, kw_only=True):
    subject: str
    email: str | None
    email_verified: bool | None
    name: str | None
    attributes: Mapping[str, Sequence[str]]
    session_index: str | None = None
    session_ends_at: datetime | None = None
