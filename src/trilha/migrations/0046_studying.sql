-- What is watched and read of modules that are no packages.

-- VIDEO: ranges [[from, to], …] and length and position, in seconds. DOCUMENT: pages {number: seconds}, count
-- and position. ARTICLE: seconds, and furthest and position as shares of the text.
ALTER TABLE attempts ADD COLUMN studied jsonb;

-- So far the time of a person is spent on what counts of their watching and reading, whatever the courses: a
-- minute of it is not two minutes in two tabs.
ALTER TABLE learner_clocks ADD COLUMN studied_until timestamptz(3);
