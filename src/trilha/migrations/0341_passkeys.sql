-- Passkeys (WebAuthn): the public keys with which people sign in and sign papers.
ALTER TABLE tenant_settings ADD COLUMN passkeys_allowed boolean NOT NULL DEFAULT true;
-- When the person last proved in this session who they are, besides its start.
ALTER TABLE sessions ADD COLUMN confirmed_at timestamptz(3);

CREATE TABLE passkeys (
    tenant_id     uuid NOT NULL,
    id            uuid NOT NULL DEFAULT gen_random_uuid(),
    user_id       uuid NOT NULL,
    name          text NOT NULL CHECK (length(name) BETWEEN 1 AND 120),
    credential_id bytea NOT NULL CHECK (length(credential_id) BETWEEN 1 AND 1023),
    public_key    bytea NOT NULL CHECK (length(public_key) BETWEEN 1 AND 4000), -- COSE_Key (RFC 9052)
    sign_count    bigint NOT NULL CHECK (sign_count >= 0),
    may_sync      boolean NOT NULL, -- whether it can be on several devices
    is_synced     boolean NOT NULL,
    transports    text[] NOT NULL DEFAULT '{}',
    created_at    timestamptz(3) NOT NULL,
    last_used_at  timestamptz(3),
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX passkeys_by_credential ON passkeys (tenant_id, credential_id);
CREATE INDEX ON passkeys (tenant_id, user_id, created_at);
CALL guard_tenant_table('passkeys', 'SELECT, INSERT, UPDATE, DELETE');

-- Challenges that wait for the answer of a passkey. Each answer takes its challenge away.
CREATE TABLE passkey_challenges (
    tenant_id  uuid NOT NULL REFERENCES tenants (id),
    digest     bytea NOT NULL, -- of the challenge
    purpose    text NOT NULL CHECK (purpose IN ('REGISTRATION', 'SIGN_IN', 'SIGNATURE')),
    user_id    uuid,
    binding    bytea NOT NULL, -- hash of the session, or of the cookie of a browser that signs in
    document   bytea, -- what a signature is for
    expires_at timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, digest),
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id) ON DELETE CASCADE,
    CHECK ((purpose = 'SIGN_IN') = (user_id IS NULL)),
    CHECK ((purpose = 'SIGNATURE') = (document IS NOT NULL))
);
CREATE INDEX ON passkey_challenges (tenant_id, expires_at);
CREATE INDEX ON passkey_challenges (tenant_id, user_id);
CALL guard_tenant_table('passkey_challenges', 'SELECT, INSERT, DELETE');
CREATE POLICY unscoped ON passkey_challenges FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id, expires_at) ON passkey_challenges TO trilha_unscoped;
