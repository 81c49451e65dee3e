-- Certificates of training elsewhere that learners upload, for an administrator to accept.
CREATE TABLE external_certificates (
    tenant_id    uuid NOT NULL,
    id           uuid NOT NULL DEFAULT gen_random_uuid(),
    user_id      uuid NOT NULL,
    course_id    uuid NOT NULL,
    completed_on text NOT NULL CHECK (completed_on ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'),
    issuer       text NOT NULL CHECK (length(issuer) BETWEEN 1 AND 200),
    media_type   text NOT NULL,
    content      bytea NOT NULL, -- sealed
    created_at   timestamptz(3) NOT NULL,
    accepted     boolean, -- NULL: not answered yet
    reason       text CHECK (length(reason) <= 500), -- of a refusal
    answered_at  timestamptz(3),
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id),
    FOREIGN KEY (tenant_id, course_id) REFERENCES courses (tenant_id, id),
    CHECK ((accepted IS NULL) = (answered_at IS NULL))
);
CREATE INDEX ON external_certificates (tenant_id, user_id, course_id);
CREATE UNIQUE INDEX ON external_certificates (tenant_id, user_id, course_id) WHERE accepted IS NULL;
CREATE INDEX ON external_certificates (tenant_id, course_id);
CREATE INDEX ON external_certificates (tenant_id, created_at, id) WHERE accepted IS NULL;
CALL guard_tenant_table('external_certificates', 'SELECT, INSERT, UPDATE, DELETE');
