-- What a company chooses about itself, beside what 0020 has, and what its overview is read from.
ALTER TABLE tenant_settings
    ADD COLUMN password_minimum smallint NOT NULL DEFAULT 8 CHECK (password_minimum BETWEEN 8 AND 64),
    ADD COLUMN logo bytea, -- decoded and written anew by us, never as it was sent
    ADD COLUMN logo_name text CHECK (logo_name ~ '^[0-9a-f]{32}\.(png|jpg)$'), -- made of the content
    ADD CHECK ((logo IS NULL) = (logo_name IS NULL));
-- A browser asks for a logo by its name alone, and a session's look-up tells of whose page it is.
CREATE INDEX ON tenant_settings (logo_name) WHERE logo_name IS NOT NULL;
GRANT SELECT (password_minimum, logo, logo_name) ON tenant_settings TO trilha_unscoped;

-- Completions of each course in each month, changed with the enrollment that is completed. Several rows, as of
-- course_counters: who writes adds to any one, who reads adds them up.
CREATE TABLE course_completions (
    tenant_id uuid NOT NULL,
    course_id uuid NOT NULL,
    month     date NOT NULL, -- its first day, in São Paulo
    slot      smallint NOT NULL,
    completed bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, course_id, month, slot),
    FOREIGN KEY (tenant_id, course_id) REFERENCES courses (tenant_id, id)
) WITH (fillfactor = 50); -- room for the count to change in place
CALL guard_tenant_table('course_completions', 'SELECT, INSERT, UPDATE, DELETE');

-- The owner of the tables is bound by row-level security and has no policy: lifted while rows are carried over.
ALTER TABLE enrollments NO FORCE ROW LEVEL SECURITY;
ALTER TABLE course_completions NO FORCE ROW LEVEL SECURITY;
INSERT INTO course_completions (tenant_id, course_id, month, slot, completed)
SELECT tenant_id, course_id, date_trunc('month', completed_at AT TIME ZONE 'America/Sao_Paulo')::date, 0, count(*)
FROM enrollments WHERE status = 'COMPLETED' GROUP BY 1, 2, 3;
ALTER TABLE course_completions FORCE ROW LEVEL SECURITY;
ALTER TABLE enrollments FORCE ROW LEVEL SECURITY;

-- Until when a driving licence is good. A column of its own, because below row-level security an index on
-- `cnh ->> 'validade'` is not used.
ALTER TABLE users
    ADD COLUMN cnh_valid_until text COLLATE "C" GENERATED ALWAYS AS (cnh ->> 'validade') STORED;
CREATE INDEX ON users (tenant_id, cnh_valid_until) WHERE cnh_valid_until IS NOT NULL;

-- What could not be sent is looked for by whoever opens the panel.
CREATE INDEX mail_messages_failed ON mail_messages (tenant_id, created_at, id) WHERE status = 'FAILED';
