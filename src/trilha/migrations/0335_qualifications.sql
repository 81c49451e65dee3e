-- What people are qualified for: who teaches or assesses a practical part must prove it.
CREATE TABLE qualifications (
    tenant_id       uuid NOT NULL,
    id              uuid NOT NULL DEFAULT gen_random_uuid(),
    user_id         uuid NOT NULL,
    title           text NOT NULL CHECK (length(title) BETWEEN 1 AND 120),
    title_key       text NOT NULL CHECK (length(title_key) BETWEEN 1 AND 500), -- the same for each spelling
    issuing_body    text NOT NULL CHECK (length(issuing_body) BETWEEN 1 AND 120),
    register_number text CHECK (length(register_number) BETWEEN 1 AND 120),
    valid_from      text NOT NULL CHECK (valid_from ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'),
    valid_until     text CHECK (valid_until ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'), -- null: without an end
    media_type      text,
    content         bytea, -- the document, sealed
    notice_due_at   timestamptz(3), -- when the person is told next that it expires
    removed_at      timestamptz(3),
    created_at      timestamptz(3) NOT NULL,
    updated_at      timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id),
    CHECK (valid_until >= valid_from),
    CHECK ((media_type IS NULL) = (content IS NULL))
);
CREATE INDEX ON qualifications (tenant_id, user_id);
CREATE INDEX ON qualifications (tenant_id, created_at, id) WHERE removed_at IS NULL;
CREATE INDEX ON qualifications (tenant_id, updated_at, id) WHERE removed_at IS NULL;
CREATE INDEX ON qualifications (tenant_id, notice_due_at) WHERE notice_due_at IS NOT NULL;
CALL guard_tenant_table('qualifications', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY unscoped ON qualifications FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id, notice_due_at) ON qualifications TO trilha_unscoped;
