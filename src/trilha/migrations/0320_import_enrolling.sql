-- An import can enroll its people in a course or assign them to a learning path, and tells which columns it ignored.
-- The course or path has no foreign key: it is checked when the people are enrolled, and the report outlives it.
ALTER TABLE imports
    ADD COLUMN ignored         jsonb NOT NULL DEFAULT '[]', -- headers of the file without a meaning
    ADD COLUMN enroll_kind     text, -- course or path
    ADD COLUMN enroll_id       uuid,
    ADD COLUMN enroll_due_at   timestamptz(3),
    ADD COLUMN enroll_new_only boolean NOT NULL DEFAULT false, -- and not people who existed before
    ADD COLUMN enrolled        integer NOT NULL DEFAULT 0,
    ADD COLUMN enrolled_before integer NOT NULL DEFAULT 0,
    ADD COLUMN not_enrolled    integer NOT NULL DEFAULT 0,
    ADD CONSTRAINT imports_enroll_kind CHECK (enroll_kind IN ('course', 'path')) NOT VALID,
    ADD CONSTRAINT imports_enroll_target CHECK ((enroll_kind IS NULL) = (enroll_id IS NULL)) NOT VALID;
