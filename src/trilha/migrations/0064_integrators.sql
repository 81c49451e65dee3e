-- What integrations filter by. Each list has an index in its own order, so that a page costs the same however
-- many rows there are.
CREATE INDEX ON users (tenant_id, department, created_at, id) WHERE department IS NOT NULL;
