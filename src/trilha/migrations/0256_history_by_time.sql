-- outside a transaction
-- What has changed since an earlier day, for the figures of that day.
CREATE INDEX CONCURRENTLY IF NOT EXISTS requirement_history_time ON requirement_history (tenant_id, changed_at);
