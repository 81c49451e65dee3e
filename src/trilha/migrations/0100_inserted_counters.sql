-- Counters of courses are rows that are only inserted. Transactions that updated the same few rows waited for each
-- other, and deadlocked where they updated several. A counter is the sum of its rows; the worker merges them.
DROP INDEX course_completions_to_merge;
DROP INDEX course_completions_of_month;
ALTER TABLE course_counters
    DROP COLUMN slot, -- and with it the primary key
    ADD COLUMN id uuid NOT NULL DEFAULT uuidv7(),
    ADD COLUMN merged boolean NOT NULL DEFAULT false, -- whether the worker made it
    ADD PRIMARY KEY (tenant_id, course_id, id),
    RESET (fillfactor);
ALTER TABLE course_completions
    DROP COLUMN slot,
    ADD COLUMN id uuid NOT NULL DEFAULT uuidv7(),
    ADD COLUMN merged boolean NOT NULL DEFAULT false,
    ADD PRIMARY KEY (tenant_id, course_id, month, id),
    RESET (fillfactor);
ALTER TABLE course_deadlines
    DROP CONSTRAINT course_deadlines_pkey,
    ADD COLUMN id uuid NOT NULL DEFAULT uuidv7(),
    ADD COLUMN merged boolean NOT NULL DEFAULT false,
    ADD PRIMARY KEY (tenant_id, month, course_id, id),
    RESET (fillfactor);

-- The completions of a whole company by month are added up from an index alone.
CREATE INDEX course_completions_of_month ON course_completions (tenant_id, month) INCLUDE (completed);

-- What is to be merged.
CREATE INDEX course_counters_to_merge ON course_counters (tenant_id) WHERE NOT merged;
CREATE INDEX course_completions_to_merge ON course_completions (tenant_id) WHERE NOT merged;
CREATE INDEX course_deadlines_to_merge ON course_deadlines (tenant_id) WHERE NOT merged;
REVOKE SELECT (tenant_id, month) ON course_completions FROM trilha_unscoped;
CREATE POLICY unscoped ON course_counters FOR SELECT TO trilha_unscoped USING (true);
CREATE POLICY unscoped ON course_deadlines FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id, merged) ON course_counters TO trilha_unscoped;
GRANT SELECT (tenant_id, merged) ON course_completions TO trilha_unscoped;
GRANT SELECT (tenant_id, merged) ON course_deadlines TO trilha_unscoped;
