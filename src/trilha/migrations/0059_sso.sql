-- Signing in with a company's own identity provider: its connections, who they know, and the steps of a sign-in.
CREATE TABLE sso_connections (
    tenant_id       uuid NOT NULL REFERENCES tenants (id),
    id              uuid NOT NULL DEFAULT gen_random_uuid(),
    kind            text NOT NULL CHECK (kind IN ('OIDC', 'SAML')),
    name            text NOT NULL CHECK (length(name) BETWEEN 1 AND 120),
    enabled         boolean NOT NULL DEFAULT false,
    jit             boolean NOT NULL DEFAULT true, -- whoever it vouches for and is not here yet is made a learner
    idp_initiated   boolean NOT NULL DEFAULT false,
    attributes      jsonb NOT NULL DEFAULT '{}', -- a member of a person -> the provider's name for it
    unit_attribute  text, -- the attribute that tells the business unit
    units           jsonb NOT NULL DEFAULT '{}', -- a value of it -> the id of a business unit
    alerts          jsonb NOT NULL DEFAULT '{}', -- a code -> since when, and what an administrator should know
    last_sign_in_at timestamptz(3),
    created_at      timestamptz(3) NOT NULL,
    updated_at      timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
-- A provider's answer names its connection in the path, before the tenant is known.
CREATE INDEX ON sso_connections (id);
CALL guard_tenant_table('sso_connections', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY unscoped ON sso_connections FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id, id, kind, enabled) ON sso_connections TO trilha_unscoped;

-- The e-mail domains that a connection may vouch for, once they are verified.
CREATE TABLE sso_connection_domains (
    tenant_id     uuid NOT NULL,
    connection_id uuid NOT NULL,
    domain        text COLLATE "C" NOT NULL CHECK (domain = lower(domain)),
    PRIMARY KEY (tenant_id, connection_id, domain),
    FOREIGN KEY (tenant_id, connection_id) REFERENCES sso_connections (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX ON sso_connection_domains (tenant_id, domain);
CREATE INDEX ON sso_connection_domains (domain);
CALL guard_tenant_table('sso_connection_domains', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY unscoped ON sso_connection_domains FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id, connection_id, domain) ON sso_connection_domains TO trilha_unscoped;

-- What is particular to OpenID Connect. The key set is kept here, so that all processes share one.
CREATE TABLE sso_oidc (
    tenant_id        uuid NOT NULL,
    connection_id    uuid NOT NULL,
    issuer           text NOT NULL, -- exactly as its documents and tokens have it
    client_id        text NOT NULL,
    auth_method      text NOT NULL
        CHECK (auth_method IN ('client_secret_basic', 'client_secret_post', 'private_key_jwt')),
    secret           bytea, -- sealed: the client's secret, or the private key that it signs with
    public_key       jsonb, -- of that private key, to be given to the provider
    scopes           text NOT NULL DEFAULT 'openid email profile',
    algorithms       text[] NOT NULL, -- that its tokens may be signed with
    document         jsonb NOT NULL, -- what is used of its discovery document
    document_read_at timestamptz(3) NOT NULL,
    keys             jsonb NOT NULL DEFAULT '[]', -- public keys that may sign, and no others
    keys_read_at     timestamptz(3),
    keys_fresh_until timestamptz(3),
    keys_asked_at    timestamptz(3), -- when they were last asked for: whoever sets it does so
    keys_answered_at timestamptz(3), -- when that was over, with or without keys
    PRIMARY KEY (tenant_id, connection_id),
    CHECK ((auth_method = 'private_key_jwt') = (public_key IS NOT NULL)),
    FOREIGN KEY (tenant_id, connection_id) REFERENCES sso_connections (tenant_id, id) ON DELETE CASCADE
);
CALL guard_tenant_table('sso_oidc', 'SELECT, INSERT, UPDATE, DELETE');

-- What is particular to SAML 2.0.
CREATE TABLE sso_saml (
    tenant_id       uuid NOT NULL,
    connection_id   uuid NOT NULL,
    entity_id       text NOT NULL, -- the provider's, exactly as it is sent
    sso_url         text NOT NULL,
    slo_url         text,
    slo_binding     text,
    certificates    text[] NOT NULL, -- PEM: any of them may have signed
    metadata_url    text,
    refreshed_at    timestamptz(3),
    sign_requests   boolean NOT NULL DEFAULT true,
    wants_encrypted boolean NOT NULL DEFAULT false,
    private_key     bytea NOT NULL, -- ours, sealed: it signs requests and opens what is encrypted to us
    certificate     text NOT NULL, -- of that key, PEM
    PRIMARY KEY (tenant_id, connection_id),
    FOREIGN KEY (tenant_id, connection_id) REFERENCES sso_connections (tenant_id, id) ON DELETE CASCADE
);
CALL guard_tenant_table('sso_saml', 'SELECT, INSERT, UPDATE, DELETE');

-- Whom a provider means by a subject. This, and never an e-mail address, is what a person is known by.
CREATE TABLE sso_identities (
    tenant_id       uuid NOT NULL,
    connection_id   uuid NOT NULL,
    subject         text COLLATE "C" NOT NULL CHECK (length(subject) BETWEEN 1 AND 2000),
    user_id         uuid NOT NULL,
    last_sign_in_at timestamptz(3) NOT NULL,
    created_at      timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, connection_id, subject),
    -- Whoever comes as another subject is not let in as the same person by the address alone.
    UNIQUE (tenant_id, connection_id, user_id),
    FOREIGN KEY (tenant_id, connection_id) REFERENCES sso_connections (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX ON sso_identities (tenant_id, user_id);
CALL guard_tenant_table('sso_identities', 'SELECT, INSERT, UPDATE, DELETE');

-- A person on the way to a provider and back.
CREATE TABLE sso_flows (
    tenant_id     uuid NOT NULL,
    fingerprint   bytea NOT NULL, -- HMAC-SHA-256 of the state, or of the id of the request
    connection_id uuid NOT NULL,
    browser       bytea NOT NULL, -- HMAC-SHA-256 of the cookie of the browser that it began in
    nonce         bytea, -- HMAC-SHA-256
    verifier      bytea, -- of PKCE, sealed
    return_to     text,
    is_test       boolean NOT NULL,
    expires_at    timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, fingerprint),
    FOREIGN KEY (tenant_id, connection_id) REFERENCES sso_connections (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX ON sso_flows (fingerprint);
CREATE INDEX ON sso_flows (expires_at);
CREATE INDEX ON sso_flows (tenant_id, connection_id);
CALL guard_tenant_table('sso_flows', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY unscoped ON sso_flows FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id, fingerprint, expires_at) ON sso_flows TO trilha_unscoped;

-- What a browser changes for a session, once.
CREATE TABLE sso_tickets (
    tenant_id       uuid NOT NULL,
    fingerprint     bytea NOT NULL, -- HMAC-SHA-256 of the ticket
    user_id         uuid NOT NULL,
    epoch           integer NOT NULL, -- the person's session_epoch when it was issued
    connection_id   uuid NOT NULL,
    browser         bytea NOT NULL,
    subject         text NOT NULL,
    session_index   text, -- what the provider calls its own session
    session_ends_at timestamptz(3), -- the latest that it lets ours last
    session_id      uuid, -- which session it became
    used_at         timestamptz(3),
    expires_at      timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, fingerprint),
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, connection_id) REFERENCES sso_connections (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX ON sso_tickets (fingerprint);
CREATE INDEX ON sso_tickets (expires_at);
CREATE INDEX ON sso_tickets (tenant_id, connection_id);
CREATE INDEX ON sso_tickets (tenant_id, user_id);
CALL guard_tenant_table('sso_tickets', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY unscoped ON sso_tickets FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id, fingerprint, expires_at) ON sso_tickets TO trilha_unscoped;

-- Assertions that were taken: none is taken twice.
CREATE TABLE sso_replays (
    tenant_id     uuid NOT NULL,
    connection_id uuid NOT NULL,
    digest        bytea NOT NULL, -- SHA-256 of its id
    until         timestamptz(3) NOT NULL, -- when it is refused for its age alone
    PRIMARY KEY (tenant_id, connection_id, digest),
    FOREIGN KEY (tenant_id, connection_id) REFERENCES sso_connections (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX ON sso_replays (until);
CALL guard_tenant_table('sso_replays', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY unscoped ON sso_replays FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id, until) ON sso_replays TO trilha_unscoped;

-- The sign-in log: how the last thousand of each tenant went, and why those failed that did.
CREATE TABLE sso_sign_ins (
    tenant_id     uuid NOT NULL REFERENCES tenants (id),
    id            uuid NOT NULL,
    at            timestamptz(3) NOT NULL,
    connection_id uuid, -- not a foreign key: the log outlives it
    outcome       text NOT NULL CHECK (outcome IN ('SIGNED_IN', 'REFUSED', 'TESTED')),
    code          text, -- why it was refused
    expected      text,
    received      text,
    reference     text NOT NULL, -- what the person was told to pass on
    user_id       uuid,
    trace         jsonb, -- of a test: its steps, without secrets
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX ON sso_sign_ins (tenant_id, at, id);
CREATE INDEX ON sso_sign_ins (tenant_id, reference);
CREATE INDEX ON sso_sign_ins (tenant_id, user_id);
CALL guard_tenant_table('sso_sign_ins', 'SELECT, INSERT, UPDATE, DELETE');

-- By which connection a session began, null for a password; and what ends it from the provider's side.
ALTER TABLE sessions
    ADD COLUMN connection_id uuid,
    ADD COLUMN subject text,
    ADD COLUMN session_index text,
    ADD FOREIGN KEY (tenant_id, connection_id) REFERENCES sso_connections (tenant_id, id) ON DELETE CASCADE;
CREATE INDEX ON sessions (tenant_id, connection_id, subject) WHERE connection_id IS NOT NULL;
GRANT SELECT (connection_id) ON sessions TO trilha_unscoped;

-- Where a company lets nobody in by a password, but for the administrators who get in when its provider fails.
ALTER TABLE tenant_settings ADD COLUMN sso_required boolean NOT NULL DEFAULT false;
ALTER TABLE users ADD COLUMN break_glass boolean NOT NULL DEFAULT false;
