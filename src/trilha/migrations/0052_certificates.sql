-- Certificates: proof of what was completed, and until when it counts.

-- Until when a completed enrollment stands against another one in the same course: its certificate's expiry.
-- Null: for ever. Whoever enrolls the person anew after that takes `current` from it.
ALTER TABLE enrollments ADD COLUMN valid_until timestamptz(3);

-- One row for each certificate ever issued. What it says of a completion is a copy, so that no later change of
-- a person, a course or a company changes it. Rows are never deleted, but with a whole enrollment.
CREATE TABLE certificates (
    tenant_id         uuid NOT NULL,
    id                uuid NOT NULL,
    code              text NOT NULL CHECK (code ~ '^[0-9A-HJKMNP-TV-Z]{16}$'), -- 80 random bits, without hyphens
    user_id           uuid NOT NULL,
    enrollment_id     uuid NOT NULL,
    course_id         uuid NOT NULL,
    holder_name       text, -- these three are null once the holder is erased
    holder_cpf        bytea, -- users.cpf_sealed as it was: it opens for that user
    holder_cpf_masked text,
    course_title      text NOT NULL,
    issued_by         text NOT NULL, -- the company's name
    locale            text NOT NULL CHECK (locale IN ('pt-BR', 'en')),
    workload_minutes  integer NOT NULL CHECK (workload_minutes >= 0), -- of the course
    score             double precision CHECK (score BETWEEN 0 AND 100),
    started_at        timestamptz(3) NOT NULL,
    completed_at      timestamptz(3) NOT NULL,
    regulation_kind   text,
    syllabus          jsonb NOT NULL, -- [{"title", "minutes"}], the course's modules in their order
    evidence_number   integer, -- the entry of the enrollment's log that says that it was completed, and its hash;
    evidence_hash     bytea, -- null where it was completed without one
    template_id       uuid, -- the certificate template; null is a built-in one
    paper             jsonb NOT NULL, -- how it looks: the template as it was
    issued_at         timestamptz(3) NOT NULL,
    expires_at        timestamptz(3), -- null: never
    revoked_at        timestamptz(3),
    revoked_by        text, -- who, as in the audit record
    revocation_reason text,
    -- The certificate that was issued in its place, and the one that this stands in for. The first is written
    -- before its row is there, so that it has no foreign key.
    replaced_by       uuid,
    replaces          uuid,
    erased_at         timestamptz(3), -- when the holder's personal data were erased
    files_removed_at  timestamptz(3), -- after that
    -- The PDF in the file store. Once it is there it never changes.
    file_key          text,
    file_sha256       bytea CHECK (length(file_sha256) = 32),
    file_size         bigint CHECK (file_size > 0), -- in bytes
    rendered_at       timestamptz(3),
    signed_by         text, -- the subject of the company's certificate, where the PDF is signed
    render_due_at     timestamptz(3), -- null: not to be rendered, or not any more
    render_tries      integer NOT NULL DEFAULT 0,
    render_lease_until timestamptz(3), -- somebody is at it until then, unless heard of again
    render_error      text, -- of the last try, where it failed
    badge_index       bigint NOT NULL GENERATED ALWAYS AS IDENTITY, -- the place in the tenant's status lists
    badge             text, -- the signed credential, written together with the file
    -- What the holder is told next, and when: that it was issued, 30 days before it expires that it will, and
    -- that it has. Null: nothing more.
    notice            text CHECK (notice IN ('ISSUED', 'EXPIRING', 'EXPIRED')),
    notice_due_at     timestamptz(3),
    created_at        timestamptz(3) NOT NULL,
    updated_at        timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id),
    -- Codes of so many random bits are unique over all tenants as well.
    UNIQUE (tenant_id, code),
    UNIQUE (tenant_id, badge_index),
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id),
    FOREIGN KEY (tenant_id, enrollment_id) REFERENCES enrollments (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, course_id) REFERENCES courses (tenant_id, id),
    FOREIGN KEY (tenant_id, replaces) REFERENCES certificates (tenant_id, id),
    CHECK ((revoked_at IS NULL) = (revocation_reason IS NULL)),
    CHECK ((revoked_at IS NULL) = (revoked_by IS NULL)),
    CHECK (replaced_by IS NULL OR revoked_at IS NOT NULL),
    CHECK ((notice IS NULL) = (notice_due_at IS NULL)),
    CHECK ((holder_name IS NULL) = (erased_at IS NOT NULL)),
    CHECK (erased_at IS NULL OR (holder_cpf IS NULL AND holder_cpf_masked IS NULL AND badge IS NULL)),
    CHECK ((evidence_number IS NULL) = (evidence_hash IS NULL)),
    CHECK (num_nonnulls(file_key, file_sha256, file_size, rendered_at) IN (0, 4) OR files_removed_at IS NOT NULL)
) WITH (fillfactor = 70); -- room for the file and the notices to be noted in place
-- An enrollment has one certificate, and those that it replaced.
CREATE UNIQUE INDEX certificates_of_enrollment ON certificates (tenant_id, enrollment_id) WHERE replaced_by IS NULL;
CREATE UNIQUE INDEX certificates_by_file ON certificates (tenant_id, file_sha256) WHERE file_sha256 IS NOT NULL;
-- The two look-ups that come before the tenant is known.
CREATE INDEX ON certificates (code);
CREATE INDEX ON certificates (file_sha256) WHERE file_sha256 IS NOT NULL;
CREATE INDEX ON certificates (tenant_id, created_at, id);
CREATE INDEX ON certificates (tenant_id, updated_at, id);
CREATE INDEX ON certificates (tenant_id, user_id, created_at, id);
CREATE INDEX ON certificates (tenant_id, course_id, created_at, id);
CREATE INDEX ON certificates (tenant_id, replaces) WHERE replaces IS NOT NULL;
-- What the panel lists: those that expire, and those whose PDF is not there.
CREATE INDEX ON certificates (tenant_id, expires_at, id) WHERE revoked_at IS NULL AND expires_at IS NOT NULL;
CREATE INDEX certificates_without_file ON certificates (tenant_id, created_at, id)
    WHERE file_key IS NULL AND erased_at IS NULL;
-- What the worker looks for: what is to be rendered, who is to be told, whose files are to be removed.
CREATE INDEX certificates_to_render ON certificates (tenant_id, render_due_at, id)
    WHERE file_key IS NULL AND render_due_at IS NOT NULL;
CREATE INDEX certificates_to_tell ON certificates (notice_due_at, tenant_id) WHERE notice_due_at IS NOT NULL;
CREATE INDEX certificates_to_remove ON certificates (erased_at, tenant_id)
    WHERE erased_at IS NOT NULL AND files_removed_at IS NULL;
CALL guard_tenant_table('certificates', 'SELECT, INSERT');
-- What a certificate says is not changed, whoever asks; what becomes of it is.
GRANT UPDATE (holder_name, holder_cpf, holder_cpf_masked, revoked_at, revoked_by, revocation_reason, replaced_by,
              erased_at, files_removed_at, file_key, file_sha256, file_size, rendered_at, signed_by, render_due_at,
              render_tries, render_lease_until, render_error, badge, notice, notice_due_at, updated_at)
    ON certificates TO trilha_app;
CREATE POLICY unscoped ON certificates FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id, id, code, holder_name, holder_cpf_masked, course_title, issued_by, workload_minutes,
              completed_at, regulation_kind, issued_at, expires_at, revoked_at, replaced_by, erased_at,
              files_removed_at, file_key, file_sha256, signed_by, render_due_at, render_lease_until, notice_due_at)
    ON certificates TO trilha_unscoped;

-- A certificate that stands in for another is not counted.
ALTER TABLE course_counters ADD COLUMN certificates_issued bigint NOT NULL DEFAULT 0;

-- Enrollments that were completed before there were certificates: the worker issues theirs, and removes the row.
CREATE TABLE missing_certificates (
    tenant_id     uuid NOT NULL,
    enrollment_id uuid NOT NULL,
    PRIMARY KEY (tenant_id, enrollment_id),
    FOREIGN KEY (tenant_id, enrollment_id) REFERENCES enrollments (tenant_id, id) ON DELETE CASCADE
);
CALL guard_tenant_table('missing_certificates', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY unscoped ON missing_certificates FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id) ON missing_certificates TO trilha_unscoped;

-- The owner of the tables is bound by row-level security and has no policy: lifted while rows are carried over.
ALTER TABLE enrollments NO FORCE ROW LEVEL SECURITY;
ALTER TABLE missing_certificates NO FORCE ROW LEVEL SECURITY;
INSERT INTO missing_certificates (tenant_id, enrollment_id)
SELECT tenant_id, id FROM enrollments WHERE status = 'COMPLETED';
ALTER TABLE missing_certificates FORCE ROW LEVEL SECURITY;
ALTER TABLE enrollments FORCE ROW LEVEL SECURITY;
