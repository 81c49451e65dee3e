-- outside a transaction
-- The people who learned in a month.
CREATE INDEX CONCURRENTLY IF NOT EXISTS launches_tenant_id_started_at ON launches (tenant_id, started_at);
