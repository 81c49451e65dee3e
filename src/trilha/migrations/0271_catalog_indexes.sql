-- outside a transaction
ALTER TABLE courses VALIDATE CONSTRAINT courses_self_enrollment_check;
ALTER TABLE reminders VALIDATE CONSTRAINT reminders_subject_check;
-- The catalog by title, and one category of it.
CREATE INDEX CONCURRENTLY IF NOT EXISTS courses_in_catalog ON courses (tenant_id, title_key, id)
    WHERE status = 'PUBLISHED' AND self_enrollment <> 'CLOSED';
CREATE INDEX CONCURRENTLY IF NOT EXISTS courses_in_catalog_by_category
    ON courses (tenant_id, category_id, title_key, id)
    WHERE status = 'PUBLISHED' AND self_enrollment <> 'CLOSED';
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS reminders_of_requests_once
    ON reminders (tenant_id, request_id, user_id, kind) WHERE request_id IS NOT NULL;
