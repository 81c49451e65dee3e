-- outside a transaction
-- The quizzes that use a question of the bank, its newest answers, and the newest attempts at a quiz.
CREATE INDEX CONCURRENTLY IF NOT EXISTS questions_bank_question ON questions (tenant_id, bank_question_id)
    WHERE bank_question_id IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS quiz_answers_bank_question
    ON quiz_answers (tenant_id, bank_question_id, answered_at) WHERE bank_question_id IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS quiz_attempts_handed_in ON quiz_attempts (tenant_id, quiz_id, handed_in_at)
    WHERE handed_in_at IS NOT NULL;
