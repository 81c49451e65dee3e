-- What has run out in one tenant and is not stored as expired yet. By when all of them run out, it would be
-- found behind everything that ever expired.
CREATE INDEX enrollments_due_of_tenant ON all_enrollments (tenant_id, expires_at)
    WHERE status IN ('NOT_STARTED', 'IN_PROGRESS') AND expires_at IS NOT NULL AND cancelled_at IS NULL;
