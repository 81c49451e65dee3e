-- Enrollments are cancelled without their learning being forgotten, and completions of another system are kept.

-- What was learnt in a cancelled enrollment is evidence: its row stays here. Whoever reads who takes what reads
-- the view; writing, and what is about all that is kept of a person, goes to the table.
ALTER TABLE enrollments RENAME TO all_enrollments;
ALTER TABLE all_enrollments
    ADD COLUMN cancelled_at timestamptz(3),
    -- The name of the system where it was completed, and when it was told of it here.
    ADD COLUMN imported_from text CHECK (length(imported_from) BETWEEN 1 AND 120),
    ADD COLUMN imported_at timestamptz(3),
    ADD CHECK ((imported_from IS NULL) = (imported_at IS NULL)),
    ADD CHECK (cancelled_at IS NULL OR (current IS NULL AND status <> 'COMPLETED')),
    DROP CONSTRAINT enrollments_check,
    ADD CHECK (current IS NOT NULL OR status IN ('COMPLETED', 'EXPIRED') OR cancelled_at IS NOT NULL);

-- The enrollments there are. It does what whoever asks may do: the policies of the table hold.
-- Citus changes nothing through a view, so that statements which change enrollments name the table.
CREATE VIEW enrollments WITH (security_invoker = true) AS SELECT * FROM all_enrollments WHERE cancelled_at IS NULL;
GRANT SELECT, INSERT, UPDATE, DELETE ON enrollments TO trilha_app;
GRANT SELECT (cancelled_at) ON all_enrollments TO trilha_unscoped;

-- A cancelled one never runs out: the worker would find it over and over.
DROP INDEX enrollments_due;
CREATE INDEX enrollments_due ON all_enrollments (expires_at, tenant_id)
    WHERE status IN ('NOT_STARTED', 'IN_PROGRESS') AND expires_at IS NOT NULL AND cancelled_at IS NULL;
DROP INDEX enrollments_due_in_course;
CREATE INDEX enrollments_due_in_course ON all_enrollments (tenant_id, course_id, expires_at)
    WHERE status IN ('NOT_STARTED', 'IN_PROGRESS') AND expires_at IS NOT NULL AND cancelled_at IS NULL;

-- Told twice, a completion is there once.
CREATE UNIQUE INDEX enrollments_imported ON all_enrollments (tenant_id, user_id, course_id, completed_at)
    WHERE imported_from IS NOT NULL;

-- What integrations list, each in its own order.
CREATE INDEX ON all_enrollments (tenant_id, completed_at, id) WHERE completed_at IS NOT NULL;
CREATE INDEX ON all_enrollments (tenant_id, course_id, completed_at, id) WHERE completed_at IS NOT NULL;
CREATE INDEX ON all_enrollments (tenant_id, expires_at, id) WHERE expires_at IS NOT NULL;
