-- Certificates of some days: in the order of creation they may lie far down.
CREATE INDEX ON certificates (tenant_id, issued_at, id);
