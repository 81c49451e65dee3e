"""SQL of a tenant's own row and its settings."""

from collections.abc import Mapping
from typing import Any

from trilha.core.database import Tx
from trilha.platform.tenants.schema import TenantSettings

_OF_TENANT = ("name", "locale")


async def get(tx: Tx) -> TenantSettings:
    """Returns the settings. Those that the company has not changed have the columns' default values."""
    settings = await tx.find(
        TenantSettings,
        """
        SELECT t.name, t.locale, COALESCE(c.time_zone, 'America/Sao_Paulo') AS time_zone, c.brand_colour,
               c.logo_name, COALESCE(c.password_minimum, 8) AS password_minimum,
               COALESCE(c.second_factor_required, false) AS second_factor_required,
               COALESCE(c.passkeys_allowed, true) AS passkeys_allowed
        FROM tenants t LEFT JOIN tenant_settings c ON c.tenant_id = t.id
        WHERE t.id = :tenant
        """,
    )
    assert settings is not None
    return settings


async def list_names(tx: Tx) -> list[str]:
    """Returns the names by which people know the company."""
    names: list[str] = await tx.value("SELECT ARRAY[name, slug] FROM tenants WHERE id = :tenant")
    return names


async def update(tx: Tx, values: Mapping[str, Any]) -> None:
    """Updates columns of the tenant's row and of its settings."""
    own = {name: value for name, value in values.items() if name in _OF_TENANT}
    if own:
        sets = ", ".join(f"{name} = :{name}" for name in own)
        await tx.execute(f"UPDATE tenants SET {sets} WHERE id = :tenant", **own)  # noqa: S608
    rest = {name: value for name, value in values.items() if name not in own}
    if rest:
        await _put(tx, rest)


async def _put(tx: Tx, values: Mapping[str, Any]) -> None:
    names = list(values)
    await tx.execute(
        f"""
        INSERT INTO tenant_settings (tenant_id, {", ".join(names)}, updated_at)
        VALUES (:tenant, {", ".join(f":{name}" for name in names)}, :now)
        ON CONFLICT (tenant_id) DO UPDATE
        SET {", ".join(f"{name} = excluded.{name}" for name in names)}, updated_at = excluded.updated_at
        """,  # noqa: S608
        **values,
    )
