-- How a tenant wants its pages and its sign-in. No row: all as the columns' defaults say.
CREATE TABLE tenant_settings (
    tenant_id              uuid PRIMARY KEY REFERENCES tenants (id),
    time_zone              text NOT NULL DEFAULT 'America/Sao_Paulo', -- an IANA name
    brand_colour           text CHECK (brand_colour ~ '^#[0-9a-f]{6}$'),
    second_factor_required boolean NOT NULL DEFAULT false, -- of administrators
    updated_at             timestamptz(3) NOT NULL
);
CALL guard_tenant_table('tenant_settings', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY unscoped ON tenant_settings FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id, time_zone, brand_colour, second_factor_required) ON tenant_settings TO trilha_unscoped;

ALTER TABLE users
    ADD COLUMN locale text CHECK (locale IN ('pt-BR', 'en')), -- null: the tenant's
    -- Sessions of an older number are over: suspension, a new password and the like count it up.
    ADD COLUMN session_epoch integer NOT NULL DEFAULT 0;
CREATE POLICY unscoped ON users FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id, id, email, name, role, status, locale, session_epoch, must_change_password)
    ON users TO trilha_unscoped;

-- A person who is signed in, in one browser.
CREATE TABLE sessions (
    tenant_id     uuid NOT NULL,
    id            uuid NOT NULL DEFAULT gen_random_uuid(),
    user_id       uuid NOT NULL,
    fingerprint   bytea NOT NULL, -- HMAC-SHA-256 of the token; the token itself is stored nowhere
    epoch         integer NOT NULL, -- the person's session_epoch when it began
    -- What was shown beside the password: nothing was asked, it is still due, or it was passed.
    second_factor text NOT NULL CHECK (second_factor IN ('none', 'due', 'passed')),
    agent         text NOT NULL, -- the User-Agent, shortened
    source        text NOT NULL, -- the address it began at
    last_seen_at  timestamptz(3) NOT NULL, -- to the minute
    idle_ends_at  timestamptz(3) NOT NULL,
    expires_at    timestamptz(3) NOT NULL,
    created_at    timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id) ON DELETE CASCADE
) WITH (fillfactor = 50); -- noting when it was last used stays on its page
-- The one look-up that comes before the tenant is known.
CREATE INDEX ON sessions (fingerprint);
CREATE INDEX ON sessions (tenant_id, user_id, created_at, id);
CREATE INDEX ON sessions (expires_at);
CALL guard_tenant_table('sessions', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY unscoped ON sessions TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id, id, user_id, fingerprint, epoch, second_factor, last_seen_at, idle_ends_at, expires_at,
              created_at),
      UPDATE (last_seen_at, idle_ends_at) ON sessions TO trilha_unscoped;

-- An authenticator app (RFC 6238). It counts once its first code was shown.
CREATE TABLE authenticators (
    tenant_id    uuid NOT NULL,
    user_id      uuid NOT NULL,
    secret       bytea NOT NULL, -- sealed
    confirmed_at timestamptz(3),
    last_step    bigint NOT NULL DEFAULT 0, -- of the last code that was taken: none is taken twice
    created_at   timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, user_id),
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id) ON DELETE CASCADE
);
CALL guard_tenant_table('authenticators', 'SELECT, INSERT, UPDATE, DELETE');

-- Codes that stand in for a lost authenticator, each good once.
CREATE TABLE recovery_codes (
    tenant_id   uuid NOT NULL,
    user_id     uuid NOT NULL,
    fingerprint bytea NOT NULL,
    PRIMARY KEY (tenant_id, user_id, fingerprint),
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id) ON DELETE CASCADE
);
CALL guard_tenant_table('recovery_codes', 'SELECT, INSERT, DELETE');

-- Links that were mailed to set a new password: the last one of a person works, once.
CREATE TABLE password_resets (
    tenant_id   uuid NOT NULL,
    user_id     uuid NOT NULL,
    fingerprint bytea NOT NULL,
    expires_at  timestamptz(3) NOT NULL,
    created_at  timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, user_id),
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX ON password_resets (fingerprint);
CALL guard_tenant_table('password_resets', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY unscoped ON password_resets FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id, user_id, fingerprint, expires_at) ON password_resets TO trilha_unscoped;

-- A tenant reads its own row, and changes what it is called and the language it speaks.
ALTER TABLE tenants ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON tenants TO trilha_app
    USING (id = current_setting('trilha.tenant')::uuid)
    WITH CHECK (id = current_setting('trilha.tenant')::uuid);
CREATE POLICY unscoped ON tenants FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT, UPDATE (name, locale) ON tenants TO trilha_app;
