-- Files of enrollments that are made in the background, and where they are.

-- The worker takes it; the file is in the file store, below exports/{tenant_id}/{id}.
CREATE TABLE exports (
    tenant_id   uuid NOT NULL REFERENCES tenants (id),
    id          uuid NOT NULL DEFAULT gen_random_uuid(),
    type        text NOT NULL CHECK (type IN ('csv', 'xlsx', 'parquet')),
    wanted      jsonb NOT NULL, -- which enrollments
    status      text NOT NULL DEFAULT 'PENDING' CHECK (status IN ('PENDING', 'RUNNING', 'READY', 'FAILED')),
    rows        bigint NOT NULL DEFAULT 0, -- read so far
    progress    smallint NOT NULL DEFAULT 0 CHECK (progress BETWEEN 0 AND 100),
    tries       smallint NOT NULL DEFAULT 0, -- how often a worker has begun; who has the last one goes on
    lease_until timestamptz(3), -- a worker is at it, unless it was killed
    file_key    text,
    file_size   bigint,
    file_sha256 bytea,
    user_id     uuid, -- the person who asked in the panel; null for a credential of the API
    created_at  timestamptz(3) NOT NULL,
    finished_at timestamptz(3),
    expires_at  timestamptz(3), -- when row and file are removed; null until it is finished
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id),
    CHECK ((status = 'READY') = (file_key IS NOT NULL)),
    CHECK ((finished_at IS NULL) = (status IN ('PENDING', 'RUNNING'))),
    CHECK ((finished_at IS NULL) = (expires_at IS NULL))
);
CREATE INDEX ON exports (tenant_id, user_id, created_at, id);
CREATE INDEX exports_due ON exports (created_at, tenant_id) WHERE status IN ('PENDING', 'RUNNING');
CREATE INDEX exports_expired ON exports (expires_at, tenant_id) WHERE expires_at IS NOT NULL;
CALL guard_tenant_table('exports', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY unscoped ON exports FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id, status, created_at, lease_until, expires_at) ON exports TO trilha_unscoped;
