"""Finds a feed by its token before the tenant is known."""

from trilha.core.database import Unscoped
from trilha.training.calendar_feeds.schema import FeedOwner


async def find_owner(unscoped: Unscoped, digest: bytes) -> FeedOwner | None:
    """Returns None if there is no such feed, or if its person or company is suspended."""
    return await unscoped.find(
        FeedOwner,
        """
        SELECT f.tenant_id, f.user_id, COALESCE(u.locale, t.locale) AS locale,
               COALESCE(c.time_zone, 'America/Sao_Paulo') AS time_zone, t.name AS tenant_name
        FROM calendar_feeds f
        JOIN users u ON u.tenant_id = f.tenant_id AND u.id = f.user_id AND u.status = 'ACTIVE'
        JOIN tenants t ON t.id = f.tenant_id AND t.status = 'ACTIVE'
        LEFT JOIN tenant_settings c ON c.tenant_id = f.tenant_id
        WHERE f.digest = :digest
        """,
        digest=digest,
    )
