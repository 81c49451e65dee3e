-- Imports of modules through the API: of a package, document or video, which was sent or is fetched from an address.
-- Rows are deleted some weeks after the import has ended.
CREATE TABLE module_imports (
    tenant_id        uuid NOT NULL,
    id               uuid NOT NULL, -- also that of its package, if there is one
    course_id        uuid NOT NULL,
    type             text NOT NULL CHECK (type IN ('SCORM', 'DOCUMENT', 'VIDEO')),
    title            text NOT NULL CHECK (length(title) <= 200),
    duration_minutes integer CHECK (duration_minutes BETWEEN 0 AND 100000),
    required         boolean NOT NULL,
    status           text NOT NULL CHECK (status IN ('PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED')),
    step             text CHECK (step IN ('FETCH', 'UNPACK')), -- what is still to be done; null at the end
    source_url       bytea, -- sealed, because it may hold credentials; null once nothing is to be fetched
    file_name        text NOT NULL CHECK (length(file_name) <= 200),
    module_ids       uuid[] NOT NULL DEFAULT '{}', -- those that it has added
    error            jsonb, -- {"code": …, "message": …}
    tries            integer NOT NULL DEFAULT 0, -- how often a worker has begun to fetch; who has the last one goes on
    lease_until      timestamptz(3), -- a worker is fetching, unless it was killed
    actor_kind       text NOT NULL, -- who asked for it, as in the audit record
    actor            text NOT NULL,
    source           text NOT NULL,
    created_at       timestamptz(3) NOT NULL,
    updated_at       timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, course_id) REFERENCES courses (tenant_id, id),
    CHECK ((step IS NULL) = (status IN ('SUCCEEDED', 'FAILED'))),
    CHECK ((status = 'FAILED') = (error IS NOT NULL)),
    CHECK ((source_url IS NOT NULL) = (step IS NOT NULL AND step = 'FETCH'))
);
CREATE INDEX ON module_imports (tenant_id, created_at, id);
CREATE INDEX ON module_imports (tenant_id, course_id, created_at, id);
CREATE INDEX ON module_imports (tenant_id, status, created_at, id);
CREATE INDEX module_imports_fetched ON module_imports (tenant_id) WHERE step = 'FETCH';
CREATE INDEX module_imports_unpacked ON module_imports (tenant_id) WHERE step = 'UNPACK';
CREATE INDEX module_imports_old ON module_imports (updated_at) WHERE step IS NULL;
CALL guard_tenant_table('module_imports', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY unscoped ON module_imports FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id, step, lease_until, updated_at) ON module_imports TO trilha_unscoped;
