"""Structs of e-mail domains, for the command line and the panel."""

from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.access.sso.domains import rules
from trilha.core.types import Text, Timestamp


class DomainName(Text):
    """The domain of a company's e-mail addresses, in IDNA form and lower case."""

    __slots__ = ()
    schema = {"type": "string", "maxLength": 253, "examples": ["example.com"]}
    codes = ("invalid_domain",)

    @classmethod
    def normalise(cls, text: str) -> str:
        return rules.normalise(text)


class EmailDomain(Struct, frozen=True):
    """A claimed domain. `missing_since` is when a verified domain's record was first found missing."""

    id: UUID
    domain: str
    token: str
    verified_at: Timestamp | None
    verified_by: str | None
    checked_at: Timestamp | None
    finding: str | None
    missing_since: Timestamp | None
    alerted_at: Timestamp | None
    created_at: Timestamp
    updated_at: Timestamp

    @property
    def state(self) -> str:
        """`verified`, `missing` if a verified domain's record is gone, or `pending`."""
        if self.verified_at is None:
            return "pending"
        return "missing" if self.missing_since else "verified"

    @property
    def record_name(self) -> str:
        return rules.record_name(self.domain)

    @property
    def record_value(self) -> str:
        return rules.record_value(self.token)

    def to_dict(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "domain": self.domain,
            "state": self.state,
            "verified": self.verified_at is not None,
            "verified_by": self.verified_by,
            "record_type": "TXT",
            "record_name": self.record_name,
            "record_value": self.record_value,
            "finding": self.finding,
            "checked_at": self.checked_at,
            "verified_at": self.verified_at,
            "missing_since": self.missing_since,
            "created_at": self.created_at,
        }
