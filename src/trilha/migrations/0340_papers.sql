-- The papers that the law asks of a training.

-- What a certificate says of the classes, the instructors and the pedagogic project that it stands under. A copy.
ALTER TABLE certificates
    ADD COLUMN training jsonb NOT NULL DEFAULT '{}', -- {"sessions", "instructors", "responsible"}
    ADD COLUMN project_version integer; -- of the course's pedagogic project; null without one

-- Further forms of a certificate, made when somebody asks for them. Once a file is there it never changes.
CREATE TABLE certificate_papers (
    tenant_id      uuid NOT NULL,
    certificate_id uuid NOT NULL,
    form           text NOT NULL CHECK (form IN ('PDF_A1B')),
    file_key       text NOT NULL,
    file_sha256    bytea NOT NULL CHECK (length(file_sha256) = 32),
    file_size      bigint NOT NULL CHECK (file_size > 0), -- in bytes
    signed_by      text, -- the subject of the company's certificate, where the file is signed
    created_at     timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, certificate_id, form),
    FOREIGN KEY (tenant_id, certificate_id) REFERENCES certificates (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX ON certificate_papers (file_sha256); -- for verifying, before the tenant is known
CALL guard_tenant_table('certificate_papers', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY unscoped ON certificate_papers FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id, certificate_id, file_key, file_sha256, signed_by) ON certificate_papers TO trilha_unscoped;

-- Where a tenant's signatures get their timestamps (RFC 3161). Null: from the installation's server, if it has one.
ALTER TABLE signing_identities ADD COLUMN timestamp_url text CHECK (length(timestamp_url) BETWEEN 1 AND 2048);

-- The pedagogic project of a course as its authors edit it, and its published versions, which never change.
CREATE TABLE pedagogic_projects (
    tenant_id  uuid NOT NULL,
    course_id  uuid NOT NULL,
    contents   jsonb NOT NULL,
    updated_at timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, course_id),
    FOREIGN KEY (tenant_id, course_id) REFERENCES courses (tenant_id, id)
);
CALL guard_tenant_table('pedagogic_projects', 'SELECT, INSERT, UPDATE, DELETE');
CREATE TABLE pedagogic_project_versions (
    tenant_id   uuid NOT NULL,
    id          uuid NOT NULL,
    course_id   uuid NOT NULL,
    number      integer NOT NULL, -- from 1, in the course
    contents    jsonb NOT NULL,
    file_key    text NOT NULL,
    file_sha256 bytea NOT NULL CHECK (length(file_sha256) = 32),
    file_size   bigint NOT NULL CHECK (file_size > 0), -- in bytes
    actor_kind  text NOT NULL, -- who published it, as in the audit record
    actor       text NOT NULL,
    created_at  timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, course_id, number),
    FOREIGN KEY (tenant_id, course_id) REFERENCES courses (tenant_id, id)
);
CALL guard_tenant_table('pedagogic_project_versions', 'SELECT, INSERT, UPDATE, DELETE');
