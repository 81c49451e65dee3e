"""How a launch is found by its token, before its tenant is known."""

from uuid import UUID

from msgspec import Struct

from trilha.core.database import Unscoped


class FoundLaunch(Struct, frozen=True):
    tenant_id: UUID
    id: UUID


async def find_launch(unscoped: Unscoped, fingerprint: bytes) -> FoundLaunch | None:
    """`fingerprint` is the keyring's, of the token."""
    return await unscoped.find(
        FoundLaunch,
        "SELECT tenant_id, id FROM launches WHERE fingerprint = :fingerprint",
        fingerprint=fingerprint,
    )
