-- All that the panel's first page counts of a large company is counted by the worker, not its people alone. The
-- numbers are null until it has counted anew.
ALTER TABLE unit_countings
    ADD COLUMN open integer, -- this and the others as in unit_counters, of everybody
    ADD COLUMN expired integer,
    ADD COLUMN expiring integer,
    ADD COLUMN licences integer,
    ADD COLUMN completions jsonb;
ALTER TABLE unit_counters
    ADD COLUMN expired integer; -- their enrollments whose last day went by before they were done
