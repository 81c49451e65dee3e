-- outside a transaction
-- The held actions whose work begins next.
CREATE INDEX CONCURRENTLY IF NOT EXISTS bulk_actions_held ON bulk_actions (held_until, tenant_id)
    WHERE state = 'HELD';
