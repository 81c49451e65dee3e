-- SCORM packages: what was sent, what is in it, and what was found wrong with it.

-- A file that was sent. The worker takes it; a package that is READY never changes. Its files are in the
-- file store, below packages/{tenant_id}/{sha256}.
CREATE TABLE packages (
    tenant_id   uuid NOT NULL REFERENCES tenants (id),
    id          uuid NOT NULL,
    sha256      text NOT NULL CHECK (sha256 ~ '^[0-9a-f]{64}$'), -- of the file that was sent
    file_name   text NOT NULL, -- as the person called it
    size        bigint NOT NULL CHECK (size >= 0), -- of the file that was sent, in bytes
    archive     text, -- the key of the file that was sent; null once it is removed
    state       text NOT NULL DEFAULT 'WAITING'
                CHECK (state IN ('WAITING', 'RUNNING', 'READY', 'REFUSED', 'FAILED')),
    progress    smallint NOT NULL DEFAULT 0 CHECK (progress BETWEEN 0 AND 100),
    tries       smallint NOT NULL DEFAULT 0, -- how often a worker has begun; who has the last one goes on
    lease_until timestamptz(3), -- a worker is at it, unless it was killed
    title       text NOT NULL, -- the manifest's; until it is read, the file's name
    version     text CHECK (version IN ('1.2', '2004')),
    edition     text NOT NULL DEFAULT '', -- of SCORM 2004
    report      jsonb, -- what is told to the administrator, once it is finished
    manifest    jsonb, -- what is taught in it, and files: where each path is stored. Where it is READY
    files       jsonb,
    actor_kind  text NOT NULL, -- who asked for it, as in the audit record
    actor       text NOT NULL,
    source      text NOT NULL,
    created_at  timestamptz(3) NOT NULL,
    finished_at timestamptz(3),
    PRIMARY KEY (tenant_id, id),
    CHECK ((state = 'READY') = (files IS NOT NULL)),
    CHECK ((state = 'READY') = (manifest IS NOT NULL)),
    CHECK ((finished_at IS NULL) = (state IN ('WAITING', 'RUNNING')))
);
CREATE INDEX ON packages (tenant_id, created_at, id);
CREATE INDEX ON packages (tenant_id, sha256);
CREATE INDEX packages_due ON packages (created_at, tenant_id) WHERE archive IS NOT NULL;
CALL guard_tenant_table('packages', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY unscoped ON packages FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id, created_at, archive, lease_until) ON packages TO trilha_unscoped;
