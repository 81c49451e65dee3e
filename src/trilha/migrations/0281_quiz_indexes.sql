-- outside a transaction
-- Attempts whose time is over, and the answers that graders open.
CREATE INDEX CONCURRENTLY IF NOT EXISTS quiz_attempts_closes_at ON quiz_attempts (closes_at)
    WHERE closes_at IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS quiz_attempts_tenant_id_closes_at ON quiz_attempts (tenant_id, closes_at)
    WHERE closes_at IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS quiz_answers_tenant_id_recording_id
    ON quiz_answers (tenant_id, recording_id) WHERE recording_id IS NOT NULL;
