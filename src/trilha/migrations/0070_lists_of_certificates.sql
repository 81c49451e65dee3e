-- Certificates that were revoked are few among all, and are listed by themselves.
CREATE INDEX certificates_revoked ON certificates (tenant_id, created_at, id) WHERE revoked_at IS NOT NULL;
