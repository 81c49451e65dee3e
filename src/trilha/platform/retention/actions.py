"""Changes a tenant's retention settings."""

from msgspec import structs

from trilha.core.database import Tx
from trilha.platform.audit import queries as audit
from trilha.platform.retention import queries
from trilha.platform.retention.schema import RetentionSettings
from trilha.platform.tenants import queries as tenants


async def change(tx: Tx, settings: RetentionSettings) -> RetentionSettings:
    """Replaces the settings. Values that stay the same are not recorded as changes."""
    before = structs.asdict(await queries.get(tx))
    changed = {name: days for name, days in structs.asdict(settings).items() if days != before[name]}
    if changed:
        await tenants.update(tx, changed)
        name = (await tenants.get(tx)).name
        await audit.record(tx, "tenant.settings_changed", tx.tenant_id, name, **changed)
    return settings
