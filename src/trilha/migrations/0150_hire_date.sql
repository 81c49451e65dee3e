-- The first day at the company, as YYYY-MM-DD. Text, like every other date that people type, so that what was sent is
-- what is read; the order of the texts is that of the days.
ALTER TABLE users ADD COLUMN hire_date text CHECK (hire_date ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$');
