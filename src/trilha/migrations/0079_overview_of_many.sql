-- The completions of a whole company by month are added up from an index alone: of months that are over it has one
-- row a course, in slot 0, which nobody but the worker writes to.
CREATE INDEX course_completions_of_month ON course_completions (tenant_id, month) INCLUDE (completed)
    WHERE slot = 0;
-- Of the people of a large company, too, no page counts all while somebody waits.
ALTER TABLE unit_countings
    ADD COLUMN people integer, -- active ones of the whole company, where it has many
    ADD COLUMN counted_at timestamptz(3),
    ADD CHECK ((people IS NULL) = (counted_at IS NULL));
