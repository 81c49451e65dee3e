-- The learning record store: statements of the Experience API, its documents, and the keys of its clients.
CREATE TABLE xapi_keys (
    tenant_id    uuid NOT NULL REFERENCES tenants (id),
    id           uuid NOT NULL DEFAULT gen_random_uuid(),
    name         text NOT NULL CHECK (length(name) BETWEEN 1 AND 120),
    key          text COLLATE "C" NOT NULL, -- the user name of HTTP Basic, which is no secret
    fingerprint  bytea NOT NULL, -- HMAC-SHA-256 of key and secret, by which a client is found
    scopes       text[] NOT NULL,
    revoked_at   timestamptz(3),
    last_used_at timestamptz(3), -- to the minute
    created_at   timestamptz(3) NOT NULL,
    updated_at   timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, key)
);
CREATE INDEX ON xapi_keys (tenant_id, created_at, id);
-- The look-up before the tenant is known.
CREATE INDEX ON xapi_keys (fingerprint);
CALL guard_tenant_table('xapi_keys', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY unscoped ON xapi_keys TO trilha_unscoped USING (true);
GRANT SELECT, UPDATE (last_used_at) ON xapi_keys TO trilha_unscoped;

-- The time of the newest statement of a tenant. Writers lock its row until they commit, so statements become
-- visible in the order of their times.
CREATE TABLE xapi_clocks (
    tenant_id   uuid NOT NULL REFERENCES tenants (id),
    last_stored bigint NOT NULL, -- microseconds since 1970
    PRIMARY KEY (tenant_id)
) WITH (fillfactor = 10);
CALL guard_tenant_table('xapi_clocks', 'SELECT, INSERT, UPDATE, DELETE');

-- Keys of agents, verbs and activities are hashes of their identifiers: see trilha.training.xapi.identifiers.
CREATE TABLE xapi_statements (
    tenant_id    uuid NOT NULL,
    id           uuid NOT NULL,
    stored       bigint NOT NULL, -- microseconds since 1970, different for each statement of a tenant
    verb         uuid NOT NULL,
    registration uuid,
    refers_to    uuid, -- the statement that its StatementRef names, whether or not it is stored
    voids        boolean NOT NULL, -- whether it voids that statement
    is_voided    boolean NOT NULL DEFAULT false,
    digest       bytea NOT NULL, -- of all that makes two statements the same
    sent_at      text, -- the client's timestamp, or NULL if it left that to the server
    attachments  text[], -- the SHA-2 of stored attachments
    content      text NOT NULL, -- the statement as JSON, without its member `stored`
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX xapi_statements_stored ON xapi_statements (tenant_id, stored);
CREATE INDEX xapi_statements_verb ON xapi_statements (tenant_id, verb, stored);
CREATE INDEX xapi_statements_registration ON xapi_statements (tenant_id, registration, stored)
    WHERE registration IS NOT NULL;
CREATE INDEX xapi_statements_refers_to ON xapi_statements (tenant_id, refers_to) WHERE refers_to IS NOT NULL;
CALL guard_tenant_table('xapi_statements', 'SELECT, INSERT, UPDATE, DELETE');

-- The agents and activities in a statement. `is_direct`: as its actor or object, otherwise elsewhere in it.
CREATE TABLE xapi_references (
    tenant_id uuid NOT NULL,
    key       uuid NOT NULL,
    stored    bigint NOT NULL,
    verb      uuid NOT NULL,
    is_direct boolean NOT NULL,
    PRIMARY KEY (tenant_id, key, stored)
);
CREATE INDEX xapi_references_direct ON xapi_references (tenant_id, key, verb, stored) WHERE is_direct;
CALL guard_tenant_table('xapi_references', 'SELECT, INSERT, UPDATE, DELETE');

-- Which statements a statement leads to through its StatementRef, and theirs.
CREATE TABLE xapi_targets (
    tenant_id uuid NOT NULL,
    stored    bigint NOT NULL,
    target    bigint NOT NULL, -- `stored` of the other
    distance  integer NOT NULL CHECK (distance >= 1), -- 1: it is named by the StatementRef itself
    PRIMARY KEY (tenant_id, stored, target)
);
CREATE INDEX xapi_targets_target ON xapi_targets (tenant_id, target, stored);
CALL guard_tenant_table('xapi_targets', 'SELECT, INSERT, UPDATE, DELETE');

-- The newest definition of each activity.
CREATE TABLE xapi_activities (
    tenant_id  uuid NOT NULL,
    key        uuid NOT NULL,
    iri        text COLLATE "C" NOT NULL,
    definition text NOT NULL, -- JSON, as text so that numbers stay as they were sent
    seen       bytea NOT NULL, -- digest of the definition that was merged last
    updated_at timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, key)
);
CALL guard_tenant_table('xapi_activities', 'SELECT, INSERT, UPDATE, DELETE');

-- Every agent that is in a statement, by what a person of the company is recognized by.
CREATE TABLE xapi_agents (
    tenant_id uuid NOT NULL,
    key       uuid NOT NULL,
    address   text COLLATE "C", -- the e-mail address of its mbox, in lower case
    sha1      text COLLATE "C", -- its mbox_sha1sum, in lower case
    account   text COLLATE "C", -- the name of its account
    PRIMARY KEY (tenant_id, key)
);
CREATE INDEX ON xapi_agents (tenant_id, address) WHERE address IS NOT NULL;
CREATE INDEX ON xapi_agents (tenant_id, sha1) WHERE sha1 IS NOT NULL;
CREATE INDEX ON xapi_agents (tenant_id, account) WHERE account IS NOT NULL;
CALL guard_tenant_table('xapi_agents', 'SELECT, INSERT, UPDATE, DELETE');

CREATE TABLE xapi_attachments (
    tenant_id    uuid NOT NULL,
    sha2         text COLLATE "C" NOT NULL CHECK (length(sha2) BETWEEN 56 AND 128),
    content_type text NOT NULL,
    content      bytea NOT NULL CHECK (length(content) <= 16777216),
    created_at   timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, sha2)
);
ALTER TABLE xapi_attachments ALTER COLUMN content SET STORAGE EXTERNAL;
CALL guard_tenant_table('xapi_attachments', 'SELECT, INSERT, UPDATE, DELETE');

-- States and profiles. What does not apply to a kind is the nil UUID.
CREATE TABLE xapi_documents (
    tenant_id    uuid NOT NULL,
    kind         text NOT NULL CHECK (kind IN ('STATE', 'AGENT_PROFILE', 'ACTIVITY_PROFILE')),
    activity     uuid NOT NULL,
    agent        uuid NOT NULL,
    registration uuid NOT NULL,
    name         text COLLATE "C" NOT NULL CHECK (octet_length(name) BETWEEN 1 AND 1024), -- the stateId or profileId
    content_type text NOT NULL,
    content      bytea NOT NULL CHECK (length(content) <= 16777216),
    etag         text NOT NULL,
    updated      bigint NOT NULL, -- microseconds since 1970
    PRIMARY KEY (tenant_id, kind, activity, agent, registration, name)
);
CREATE INDEX ON xapi_documents (tenant_id, agent, kind);
CALL guard_tenant_table('xapi_documents', 'SELECT, INSERT, UPDATE, DELETE');
