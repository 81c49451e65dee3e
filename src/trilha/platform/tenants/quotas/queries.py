"""SQL of quotas."""

from msgspec import structs

from trilha.core.database import Tx, columns_of
from trilha.platform.tenants.quotas.schema import Quotas

_NAMES = Quotas.__struct_fields__
_GET = f"SELECT {columns_of(Quotas)} FROM tenant_quotas WHERE tenant_id = :tenant"  # noqa: S608
_PUT = f"""
    INSERT INTO tenant_quotas (tenant_id, {", ".join(_NAMES)}, updated_at)
    VALUES (:tenant, {", ".join(f":{name}" for name in _NAMES)}, :now)
    ON CONFLICT (tenant_id) DO UPDATE
    SET {", ".join(f"{name} = excluded.{name}" for name in _NAMES)}, updated_at = excluded.updated_at
"""  # noqa: S608


async def get(tx: Tx) -> Quotas:
    """Returns the quotas, none if the operator has set nothing."""
    rows = await tx.rows(_GET)
    return Quotas(**dict(rows[0])) if rows else Quotas()


async def put(tx: Tx, quotas: Quotas) -> None:
    await tx.execute(_PUT, **structs.asdict(quotas))


async def find_room(tx: Tx) -> tuple[int, int] | None:
    """Returns how many more people may be active, and the quota; None without a quota."""
    rows = await tx.rows(
        """
        SELECT max_people, (SELECT COALESCE(sum(people), 0) FROM people_counters
                            WHERE tenant_id = :tenant AND status = 'ACTIVE')::bigint AS active
        FROM tenant_quotas WHERE tenant_id = :tenant AND max_people IS NOT NULL
        """
    )
    if not rows:
        return None
    return max(0, rows[0]["max_people"] - rows[0]["active"]), rows[0]["max_people"]


async def find_exceeded_people(tx: Tx) -> int | None:
    """Returns the largest number of active people if there are more of them, or None."""
    limit: int | None = await tx.value(
        """
        SELECT max_people FROM tenant_quotas
        WHERE tenant_id = :tenant AND max_people < (
              SELECT COALESCE(sum(people), 0) FROM people_counters
              WHERE tenant_id = :tenant AND status = 'ACTIVE')
        """
    )
    return limit
