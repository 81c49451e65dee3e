-- The version of the course's pedagogic project that a class stands under: the newest one until its first session starts.
ALTER TABLE classes ADD COLUMN project_version integer; -- null: there was none
