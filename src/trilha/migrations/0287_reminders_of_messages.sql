-- outside a transaction
-- Reminders by hand and those of messages happen more than once.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS reminders_of_kinds_once
    ON reminders (tenant_id, enrollment_id, user_id, kind)
    WHERE kind NOT IN ('manual', 'question_waiting', 'question_answered');
DROP INDEX CONCURRENTLY IF EXISTS reminders_once;
