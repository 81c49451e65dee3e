"""What the worker does for OAuth."""

from datetime import timedelta

from trilha.core.db import Database
from trilha.doors import Doors
from trilha.oauth import queries
from trilha.oauth.signing_keys import SigningKeys

_FORGET_MOST = 5_000


async def forget(database: Database, doors: Doors) -> int:
    """Drops tokens and assertions that are over, a batch in every tenant that has some."""
    done = 0
    for tenant_id in await doors.tenants_with_old_tokens():
        async with database.transaction(tenant_id) as tx:
            done += await queries.forget(tx, _FORGET_MOST)
    return done


async def rotate_signing_keys(database: Database, doors: Doors, *, age: timedelta) -> int:
    """How many keys were added or dropped."""
    return await SigningKeys(doors, database.keyring, database.clock).rotate_by_age(age)
