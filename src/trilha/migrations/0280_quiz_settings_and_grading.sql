-- Time limits and the presentation of quizzes, essays, and grades by rubric that can be corrected.
ALTER TABLE quizzes
    ADD COLUMN presentation text NOT NULL DEFAULT 'one', -- one question a screen, or all on one page
    ADD COLUMN time_limit_minutes integer, -- NULL: no limit
    ADD CONSTRAINT quizzes_presentation_check CHECK (presentation IN ('one', 'all')) NOT VALID,
    ADD CONSTRAINT quizzes_time_limit_minutes_check CHECK (time_limit_minutes BETWEEN 1 AND 600) NOT VALID;

ALTER TABLE questions
    DROP CONSTRAINT questions_kind_check,
    ADD CONSTRAINT questions_kind_check
        CHECK (kind IN ('single', 'multiple', 'true_false', 'numeric', 'fill_in', 'voice', 'essay')) NOT VALID;
COMMENT ON COLUMN questions.answer_key IS
    'The members of its kind: choices, the right value, what is accepted; and its picture, audio and rubric.';

-- As the quiz was when the attempt was made. `deadline_at` is set when the learner starts; from `closes_at` on
-- the worker closes the attempt, which is NULL once it was handed in.
ALTER TABLE quiz_attempts
    ADD COLUMN presentation text NOT NULL DEFAULT 'one',
    ADD COLUMN time_limit_minutes integer,
    ADD COLUMN deadline_at timestamptz(3),
    ADD COLUMN closes_at timestamptz(3);
CREATE POLICY unscoped ON quiz_attempts FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id, closes_at) ON quiz_attempts TO trilha_unscoped;

ALTER TABLE quiz_answers
    ADD COLUMN rubric_points jsonb, -- the points for each criterion, if the question has a rubric
    ADD COLUMN corrections jsonb NOT NULL DEFAULT '[]'; -- earlier grades with who changed them, when and why
COMMENT ON COLUMN quiz_answers.recording_id IS
    'The id by which graders open an answer that was handed in: that of the recording, or an id of an essay.';
