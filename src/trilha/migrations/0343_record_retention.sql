-- How long the evidence behind certificates is kept, and what is announced before it is erased.
ALTER TABLE tenant_settings
    -- Years after the end of the certificate's validity. Null: two.
    ADD COLUMN record_years integer CHECK (record_years BETWEEN 2 AND 50),
    -- Years after the issue of a certificate without an end of validity. Null: its evidence is never erased.
    ADD COLUMN unlimited_record_years integer CHECK (unlimited_record_years BETWEEN 5 AND 50);

-- The records of an enrollment that will be erased, or were. Administrators are told when the row is inserted.
CREATE TABLE record_erasures (
    tenant_id     uuid NOT NULL,
    enrollment_id uuid NOT NULL,
    user_id       uuid NOT NULL,
    course_id     uuid NOT NULL,
    announced_at  timestamptz(3) NOT NULL,
    erase_at      timestamptz(3) NOT NULL,
    erased_at     timestamptz(3),
    PRIMARY KEY (tenant_id, enrollment_id),
    FOREIGN KEY (tenant_id, enrollment_id) REFERENCES all_enrollments (tenant_id, id),
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id),
    FOREIGN KEY (tenant_id, course_id) REFERENCES courses (tenant_id, id),
    CHECK (erase_at >= announced_at)
);
CREATE INDEX ON record_erasures (tenant_id, erase_at, enrollment_id) WHERE erased_at IS NULL;
CREATE INDEX ON record_erasures (tenant_id, erased_at, enrollment_id) WHERE erased_at IS NOT NULL;
CREATE INDEX ON record_erasures (tenant_id, user_id);
CREATE INDEX ON record_erasures (tenant_id, course_id);
CALL guard_tenant_table('record_erasures', 'SELECT, INSERT, UPDATE, DELETE');

-- When the worker last looked for records that are over.
CREATE TABLE record_retention_runs (
    tenant_id uuid NOT NULL REFERENCES tenants (id),
    ran_at    timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id)
);
CALL guard_tenant_table('record_retention_runs', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY unscoped ON record_retention_runs FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id, ran_at) ON record_retention_runs TO trilha_unscoped;
