"""The worker's jobs for OAuth."""

from collections.abc import Sequence
from datetime import timedelta
from functools import partial

from trilha.access.oauth import queries
from trilha.access.oauth.signing_keys import SigningKeys
from trilha.core.database import Database
from trilha.core.jobs import Job, ServiceJob, TenantJob, tenants_where

PRUNE_TOKENS = TenantJob(
    name="prune access tokens",
    due=tenants_where(
        """((SELECT true FROM oauth_tokens a WHERE a.tenant_id = home.tenant_id AND a.expires_at < :now
             ORDER BY a.expires_at LIMIT 1)
         OR (SELECT true FROM oauth_assertions a
             WHERE a.tenant_id = home.tenant_id AND a.expires_at < LEAST(
                 CAST(:now AS timestamptz),
                 (SELECT max(newest.expires_at) FROM oauth_assertions newest
                  WHERE newest.tenant_id = home.tenant_id)) - interval '1 day'
             ORDER BY a.expires_at LIMIT 1))"""
    ),
    batch=queries.prune_tokens,
    rest=60,
)


async def rotate_signing_keys(database: Database, *, age: timedelta) -> int:
    """Returns the number of keys added or dropped."""
    return await SigningKeys(database).rotate_by_age(age)


def jobs(*, signing_key_age: timedelta) -> Sequence[Job]:
    rotate = partial(rotate_signing_keys, age=signing_key_age)
    return (PRUNE_TOKENS, ServiceJob(name="rotate signing keys", run_once=rotate, rest=3600))
