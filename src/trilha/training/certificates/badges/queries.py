"""The SQL of badge keys and revoked badges."""

from typing import Any

from msgspec import Struct

from trilha.core.database import Tx


class StoredKey(Struct, frozen=True):
    kid: str
    sealed: bytes


async def find_signing(tx: Tx) -> StoredKey | None:
    return await tx.find(
        StoredKey, "SELECT kid, sealed FROM badge_keys WHERE tenant_id = :tenant AND retired_at IS NULL"
    )


async def insert(tx: Tx, kid: str, sealed: bytes, public: dict[str, Any]) -> None:
    """Inserts a key unless the tenant has a current one, which the caller then uses."""
    await tx.execute(
        """
        INSERT INTO badge_keys (tenant_id, kid, sealed, public, created_at)
        VALUES (:tenant, :kid, :sealed, :public, :now)
        ON CONFLICT (tenant_id) WHERE retired_at IS NULL DO NOTHING
        """,
        kid=kid,
        sealed=sealed,
        public=public,
    )


async def retire(tx: Tx) -> None:
    await tx.execute(
        "UPDATE badge_keys SET retired_at = :now WHERE tenant_id = :tenant AND retired_at IS NULL"
    )


async def list_public(tx: Tx) -> list[dict[str, Any]]:
    """Lists every key that has ever signed, as JWKs."""
    rows = await tx.rows("SELECT public FROM badge_keys WHERE tenant_id = :tenant ORDER BY created_at, kid")
    return [row["public"] for row in rows]


async def list_revoked(tx: Tx, first: int, last: int) -> list[int]:
    """Lists the indexes of revoked badges within these lists."""
    rows = await tx.rows(
        """
        SELECT badge_index FROM certificates
        WHERE tenant_id = :tenant AND badge_index BETWEEN :first AND :last AND revoked_at IS NOT NULL
        """,
        first=first,
        last=last,
    )
    return [row["badge_index"] for row in rows]


async def has_any(tx: Tx, first: int, last: int) -> bool:
    return bool(
        await tx.value(
            """
            SELECT true FROM certificates
            WHERE tenant_id = :tenant AND badge_index BETWEEN :first AND :last LIMIT 1
            """,
            first=first,
            last=last,
        )
    )
