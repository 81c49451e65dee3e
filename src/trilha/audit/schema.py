"""Audit records, as the command line shows them."""

from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.core.types import Timestamp


class AuditRecord(Struct, frozen=True):
    created_at: Timestamp
    action: str
    target_id: UUID
    target_name: str
    actor_kind: str
    actor: str
    source: str
    detail: dict[str, Any]
