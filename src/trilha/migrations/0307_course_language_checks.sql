-- outside a transaction
-- The checks of 0306, which new rows have met since then.
ALTER TABLE courses VALIDATE CONSTRAINT courses_language_check;
ALTER TABLE all_enrollments VALIDATE CONSTRAINT all_enrollments_language_check;
