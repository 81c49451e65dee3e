"""E-mail domains, as the command line and the panel show them."""

from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.core.types import Text, Timestamp
from trilha.sso.domains import rules


class DomainName(Text):
    """What is behind the @ of a company's addresses, in IDNA form and small letters."""

    __slots__ = ()
    schema = {"type": "string", "maxLength": 253, "examples": ["example.com"]}
    codes = ("invalid_domain",)

    @classmethod
    def normalise(cls, text: str) -> str:
        return rules.normalise(text)


class EmailDomain(Struct, frozen=True):
    """`missing_since` is since when name servers say that a verified domain's record is not there."""

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
        """`verified`, `missing` where its record has gone since, or `pending`."""
        if self.verified_at is None:
            return "pending"
        return "missing" if self.missing_since else "verified"

    @property
    def record_name(self) -> str:
        return rules.record_name(self.domain)

    @property
    def record_value(self) -> str:
        return rules.record_value(self.token)

    def shown(self) -> dict[str, Any]:
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
