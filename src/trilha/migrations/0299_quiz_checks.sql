-- outside a transaction
-- The checks of 0280, which new rows have met since then.
ALTER TABLE quizzes VALIDATE CONSTRAINT quizzes_presentation_check;
ALTER TABLE quizzes VALIDATE CONSTRAINT quizzes_time_limit_minutes_check;
ALTER TABLE questions VALIDATE CONSTRAINT questions_kind_check;
