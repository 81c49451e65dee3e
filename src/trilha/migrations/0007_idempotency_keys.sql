-- The answer once given to a POST, for a day, so that repeating the call repeats the answer.
CREATE TABLE idempotency_keys (
    tenant_id     uuid NOT NULL REFERENCES tenants (id),
    credential_id uuid NOT NULL,
    key           text NOT NULL,
    request       bytea NOT NULL, -- keyed hash of method, path and body
    status        integer NOT NULL,
    response      bytea, -- sealed: it may hold what was shown only once
    expires_at    timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, credential_id, key)
);
CREATE INDEX ON idempotency_keys (expires_at, tenant_id);
CALL guard_tenant_table('idempotency_keys', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY door ON idempotency_keys FOR SELECT TO trilha_door USING (true);
GRANT SELECT (tenant_id, expires_at) ON idempotency_keys TO trilha_door;
