"""Structs of SCIM tokens, for the command line and the panel."""

from typing import Any
from uuid import UUID

from msgspec import Struct, structs

from trilha.core.types import Timestamp


class ScimToken(Struct, frozen=True):
    id: UUID
    name: str
    hint: str
    networks: str
    expires_at: Timestamp | None
    revoked_at: Timestamp | None
    last_used_at: Timestamp | None
    created_at: Timestamp
    updated_at: Timestamp


class IssuedToken(Struct, frozen=True):
    """A token with its secret, which is never shown again."""

    scim_token: ScimToken
    token: str
    previous_expires_at: Timestamp | None = None

    def to_dict(self) -> dict[str, Any]:
        plain = structs.asdict(self.scim_token)
        members = {"id": plain.pop("id"), "token": self.token, **plain}
        if self.previous_expires_at:
            members["previous_expires_at"] = self.previous_expires_at
        return members
