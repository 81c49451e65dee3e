-- Provisioning by SCIM 2.0: the tokens that providers call with, and what they have said of people and groups
-- that has no place of its own.
CREATE TABLE scim_tokens (
    tenant_id    uuid NOT NULL REFERENCES tenants (id),
    id           uuid NOT NULL DEFAULT gen_random_uuid(),
    name         text NOT NULL CHECK (length(name) BETWEEN 1 AND 120),
    hint         text NOT NULL, -- the prefix and the last four characters, to recognise it by
    networks     text NOT NULL DEFAULT '', -- CIDRs separated by commas; empty: from anywhere
    expires_at   timestamptz(3),
    revoked_at   timestamptz(3),
    last_used_at timestamptz(3), -- to the minute
    created_at   timestamptz(3) NOT NULL,
    updated_at   timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX ON scim_tokens (tenant_id, created_at, id);
CALL guard_tenant_table('scim_tokens', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY unscoped ON scim_tokens TO trilha_unscoped USING (true);
GRANT SELECT, UPDATE (last_used_at) ON scim_tokens TO trilha_unscoped;

CREATE TABLE scim_token_secrets (
    tenant_id   uuid NOT NULL,
    fingerprint bytea NOT NULL, -- HMAC-SHA-256, by which a token is found
    token_id    uuid NOT NULL,
    number      integer NOT NULL, -- as they were issued; the current one has the highest
    sealed      bytea NOT NULL, -- the token itself, encrypted outside the database
    expires_at  timestamptz(3), -- set when a newer secret has taken its place
    PRIMARY KEY (tenant_id, fingerprint),
    UNIQUE (tenant_id, token_id, number),
    FOREIGN KEY (tenant_id, token_id) REFERENCES scim_tokens (tenant_id, id) ON DELETE CASCADE
);
-- The one look-up that comes before the tenant is known.
CREATE INDEX ON scim_token_secrets (fingerprint);
CALL guard_tenant_table('scim_token_secrets', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY unscoped ON scim_token_secrets FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id, fingerprint, token_id, expires_at) ON scim_token_secrets TO trilha_unscoped;

ALTER TABLE tenant_settings
    ADD COLUMN scim_limit integer CHECK (scim_limit BETWEEN 1 AND 1000000); -- null: that of the server
GRANT SELECT (scim_limit) ON tenant_settings TO trilha_unscoped;

-- What a provider has said of a person, where `users` has no column for it. Whoever it has not written yet has
-- no row, and is shown as what `users` tells.
CREATE TABLE scim_users (
    tenant_id     uuid NOT NULL,
    user_id       uuid NOT NULL,
    user_name     text NOT NULL,
    user_name_key text COLLATE "C" NOT NULL, -- in small letters and NFC: how it is compared
    external_id   text COLLATE "C",
    document      jsonb NOT NULL, -- names, addresses and parts of the company as they were sent
    seen_name     text NOT NULL, -- users.name and users.email as the document has them: where they were changed
    seen_email    text NOT NULL, -- elsewhere since, the document's are out of date
    version       bigint NOT NULL DEFAULT 1,
    deleted_at    timestamptz(3), -- for the provider it is gone; the person stays, suspended
    created_at    timestamptz(3) NOT NULL,
    updated_at    timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, user_id),
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id) ON DELETE CASCADE
);
-- Deleted ones keep their name, so that it revives the same person.
CREATE UNIQUE INDEX scim_users_user_name ON scim_users (tenant_id, user_name_key);
CREATE UNIQUE INDEX scim_users_external_id ON scim_users (tenant_id, external_id) WHERE deleted_at IS NULL;
CREATE INDEX scim_users_deleted ON scim_users (tenant_id, user_id) WHERE deleted_at IS NOT NULL;
CALL guard_tenant_table('scim_users', 'SELECT, INSERT, UPDATE, DELETE');

-- What a provider has said of a learning group.
CREATE TABLE scim_groups (
    tenant_id   uuid NOT NULL,
    group_id    uuid NOT NULL,
    external_id text COLLATE "C",
    version     bigint NOT NULL DEFAULT 1,
    created_at  timestamptz(3) NOT NULL,
    updated_at  timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, group_id),
    FOREIGN KEY (tenant_id, group_id) REFERENCES learning_groups (tenant_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX scim_groups_external_id ON scim_groups (tenant_id, external_id);
CALL guard_tenant_table('scim_groups', 'SELECT, INSERT, UPDATE, DELETE');
