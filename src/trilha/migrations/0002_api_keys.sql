-- An integration's credential. Its secrets are rows of their own, so that two live while it rotates.
CREATE TABLE api_keys (
    tenant_id    uuid NOT NULL REFERENCES tenants (id),
    id           uuid NOT NULL DEFAULT gen_random_uuid(),
    name         text NOT NULL CHECK (length(name) BETWEEN 1 AND 120),
    hint         text NOT NULL, -- the prefix and the last four characters, to recognise it by
    scopes       text[] NOT NULL,
    networks     text NOT NULL DEFAULT '', -- CIDRs separated by commas; empty: from anywhere
    expires_at   timestamptz(3),
    revoked_at   timestamptz(3),
    last_used_at timestamptz(3), -- to the minute
    created_at   timestamptz(3) NOT NULL,
    updated_at   timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX ON api_keys (tenant_id, created_at, id);
CALL guard_tenant_table('api_keys', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY door ON api_keys TO trilha_door USING (true);
GRANT SELECT, UPDATE (last_used_at) ON api_keys TO trilha_door;

CREATE TABLE api_key_secrets (
    tenant_id   uuid NOT NULL,
    fingerprint bytea NOT NULL, -- HMAC-SHA-256 of the key; the key itself is stored nowhere
    api_key_id  uuid NOT NULL,
    expires_at  timestamptz(3), -- set when a newer secret has taken its place
    PRIMARY KEY (tenant_id, fingerprint),
    FOREIGN KEY (tenant_id, api_key_id) REFERENCES api_keys (tenant_id, id) ON DELETE CASCADE
);
-- The one look-up that comes before the tenant is known.
CREATE INDEX ON api_key_secrets (fingerprint);
CREATE INDEX ON api_key_secrets (tenant_id, api_key_id);
CALL guard_tenant_table('api_key_secrets', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY door ON api_key_secrets FOR SELECT TO trilha_door USING (true);
GRANT SELECT ON api_key_secrets TO trilha_door;
