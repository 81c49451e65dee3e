-- What the end of a module shows: the course's progress when the module was last opened and when it was completed, and
-- the person's points right after. NULL: completed before these columns existed, or not completed yet.
ALTER TABLE module_progress
    ADD COLUMN percent_before double precision CHECK (percent_before BETWEEN 0 AND 100),
    ADD COLUMN percent_after  double precision CHECK (percent_after BETWEEN 0 AND 100),
    ADD COLUMN xp_after       integer CHECK (xp_after >= 0);
-- The person's points right after the course was completed.
ALTER TABLE learning_heads ADD COLUMN xp_after integer CHECK (xp_after >= 0);

-- The days in a row on which a person studies, in the company's time zone.
ALTER TABLE learner_clocks
    ADD COLUMN time_zone     text,
    ADD COLUMN study_day     date, -- the day of study_seconds
    ADD COLUMN study_seconds double precision NOT NULL DEFAULT 0 CHECK (study_seconds >= 0),
    ADD COLUMN streak_day    date, -- the last day that counts
    ADD COLUMN streak        integer NOT NULL DEFAULT 0 CHECK (streak >= 0);
