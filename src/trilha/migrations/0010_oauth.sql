-- An application that gets access tokens of its own (OAuth 2.0 client credentials).
CREATE TABLE oauth_clients (
    tenant_id    uuid NOT NULL REFERENCES tenants (id),
    id           uuid NOT NULL DEFAULT gen_random_uuid(),
    name         text NOT NULL CHECK (length(name) BETWEEN 1 AND 120),
    scopes       text[] NOT NULL,
    networks     text NOT NULL DEFAULT '', -- CIDRs separated by commas; empty: from anywhere
    public_keys  jsonb, -- a JWK set, for private_key_jwt
    tokens_from  timestamptz(3) NOT NULL, -- older tokens are dead
    disabled_at  timestamptz(3),
    last_used_at timestamptz(3), -- to the minute
    created_at   timestamptz(3) NOT NULL,
    updated_at   timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
-- An assertion names the client before the tenant is known.
CREATE INDEX ON oauth_clients (id);
CREATE INDEX ON oauth_clients (tenant_id, created_at, id);
CALL guard_tenant_table('oauth_clients', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY door ON oauth_clients TO trilha_door USING (true);
GRANT SELECT, UPDATE (last_used_at) ON oauth_clients TO trilha_door;

CREATE TABLE oauth_client_secrets (
    tenant_id   uuid NOT NULL,
    fingerprint bytea NOT NULL, -- HMAC-SHA-256 of the secret; the secret itself is stored nowhere
    client_id   uuid NOT NULL,
    expires_at  timestamptz(3), -- set when a newer secret has taken its place
    PRIMARY KEY (tenant_id, fingerprint),
    FOREIGN KEY (tenant_id, client_id) REFERENCES oauth_clients (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX ON oauth_client_secrets (fingerprint);
CREATE INDEX ON oauth_client_secrets (tenant_id, client_id);
CALL guard_tenant_table('oauth_client_secrets', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY door ON oauth_client_secrets FOR SELECT TO trilha_door USING (true);
GRANT SELECT ON oauth_client_secrets TO trilha_door;

-- An access token that was issued. It is good for nothing without its row, and for no more than the row says.
CREATE TABLE oauth_tokens (
    tenant_id  uuid NOT NULL,
    jti        uuid NOT NULL,
    client_id  uuid NOT NULL, -- refers to no row: of a deleted client the tokens are dead anyway
    kid        text NOT NULL, -- the key that signed it
    scopes     text[] NOT NULL,
    expires_at timestamptz(3) NOT NULL,
    revoked_at timestamptz(3),
    created_at timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, jti)
);
CREATE INDEX ON oauth_tokens (tenant_id, expires_at);
CALL guard_tenant_table('oauth_tokens', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY door ON oauth_tokens TO trilha_door USING (true);
GRANT SELECT, UPDATE (revoked_at) ON oauth_tokens TO trilha_door;

-- Assertions of clients (private_key_jwt) that were used: each is taken once.
CREATE TABLE oauth_assertions (
    tenant_id  uuid NOT NULL,
    client_id  uuid NOT NULL,
    digest     bytea NOT NULL, -- SHA-256 of the assertion's jti
    expires_at timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, client_id, digest)
);
CREATE INDEX ON oauth_assertions (tenant_id, expires_at);
CALL guard_tenant_table('oauth_assertions', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY door ON oauth_assertions FOR SELECT TO trilha_door USING (true);
GRANT SELECT (tenant_id, expires_at) ON oauth_assertions TO trilha_door;

-- What access tokens are signed with, for all tenants: the newest whose time has come signs, the others
-- are still believed. Numbered, so that of two processes that make the same one, one is kept.
CREATE TABLE signing_keys (
    number     integer PRIMARY KEY,
    kid        text NOT NULL UNIQUE,
    private    bytea NOT NULL, -- sealed
    public     jsonb NOT NULL, -- a JWK
    signs_from timestamptz(3) NOT NULL,
    created_at timestamptz(3) NOT NULL
);
GRANT SELECT, INSERT, DELETE ON signing_keys TO trilha_door;
GRANT SELECT (kid) ON signing_keys TO trilha_app;

-- Every change of a credential: who, what, when, from where. Rows are added, never changed or removed.
CREATE TABLE audit_records (
    tenant_id   uuid NOT NULL REFERENCES tenants (id),
    id          uuid NOT NULL DEFAULT gen_random_uuid(),
    action      text NOT NULL, -- api_key.created
    target_id   uuid NOT NULL,
    target_name text NOT NULL,
    actor_kind  text NOT NULL, -- operator, api_key, access_token, system
    actor       text NOT NULL,
    source      text NOT NULL, -- an address, or the machine a command ran on
    detail      jsonb NOT NULL,
    created_at  timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX ON audit_records (tenant_id, created_at, id);
CALL guard_tenant_table('audit_records', 'SELECT, INSERT');
