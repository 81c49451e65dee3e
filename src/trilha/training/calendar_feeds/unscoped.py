"""Finds a feed by its token before the tenant is known."""

from trilha.core.database import Unscoped
from trilha.training.calendar_feeds.schema import FeedOwner


async def find_owner(unscoped: Unscoped, digest: bytes) -> FeedOwner | None:
    """Returns None if there is no such feed, or if its person or company is suspended. The feed of a company
    is also gone once its person is no longer an administrator.
    """
    return await unscoped.find(
        FeedOwner,
        """
        SELECT f.tenant_id, f.user_id, COALESCE(u.locale, t.locale) AS locale,
               COALESCE(c.time_zone, 'America/Sao_Paulo') AS time_zone, t.name AS tenant_name, f.kind
        FROM (
            SELECT tenant_id, user_id, 'own' AS kind FROM calendar_feeds WHERE digest = :digest
            UNION ALL
            SELECT tenant_id, user_id, 'company' FROM company_feeds WHERE digest = :digest
        ) AS f
        JOIN users u ON u.tenant_id = f.tenant_id AND u.id = f.user_id AND u.status = 'ACTIVE'
                    AND (f.kind = 'own' OR u.role = 'admin')
        JOIN tenants t ON t.id = f.tenant_id AND t.status = 'ACTIVE'
        LEFT JOIN tenant_settings c ON c.tenant_id = f.tenant_id
        """,
        digest=digest,
    )
