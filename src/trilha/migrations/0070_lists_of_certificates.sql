-- Certificates that were revoked are few among all, and are listed by themselves; those that expire are listed
-- by when they do, of an instructor's courses one course after the other.
CREATE INDEX certificates_revoked ON certificates (tenant_id, created_at, id) WHERE revoked_at IS NOT NULL;
CREATE INDEX certificates_of_course_expiring ON certificates (tenant_id, course_id, expires_at, id)
    WHERE revoked_at IS NULL AND expires_at IS NOT NULL;
