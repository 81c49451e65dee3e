-- A learner whose enrollment has expired asks for a new due date.
CREATE TABLE extension_requests (
    tenant_id     uuid NOT NULL,
    enrollment_id uuid NOT NULL,
    user_id       uuid NOT NULL,
    message       text CHECK (length(message) <= 500),
    created_at    timestamptz(3) NOT NULL,
    granted       boolean, -- NULL: not answered yet
    answered_at   timestamptz(3),
    PRIMARY KEY (tenant_id, enrollment_id),
    FOREIGN KEY (tenant_id, enrollment_id) REFERENCES all_enrollments (tenant_id, id) ON DELETE CASCADE,
    CHECK ((granted IS NULL) = (answered_at IS NULL))
);
CREATE INDEX ON extension_requests (tenant_id, user_id);
CREATE INDEX ON extension_requests (tenant_id, created_at, enrollment_id) WHERE granted IS NULL;
CALL guard_tenant_table('extension_requests', 'SELECT, INSERT, UPDATE, DELETE');
