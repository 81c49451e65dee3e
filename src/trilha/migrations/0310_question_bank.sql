-- The question bank: questions of a company that quizzes copy, or draw by tags.
CREATE TABLE bank_questions (
    tenant_id      uuid NOT NULL,
    id             uuid NOT NULL DEFAULT gen_random_uuid(),
    kind           text NOT NULL CHECK (kind IN (
                       'single', 'multiple', 'true_false', 'numeric', 'fill_in', 'essay', 'voice')),
    text           text NOT NULL,
    text_key       text COLLATE "C" NOT NULL GENERATED ALWAYS AS (search_text(text)) STORED,
    weight         double precision NOT NULL CHECK (weight > 0),
    feedback       text NOT NULL DEFAULT '',
    answer_key     jsonb NOT NULL, -- as in questions
    author_id      uuid, -- NULL: added by a command
    archived_at    timestamptz(3), -- since when it is neither offered nor drawn
    -- Figures of its newest answers, written by the worker; see trilha.training.question_bank.statistics.
    answers        integer NOT NULL DEFAULT 0,
    difficulty     double precision, -- mean share of the points, 0 to 100; NULL without answers
    discrimination double precision, -- -1 to 1; NULL with too few answers
    chosen         jsonb NOT NULL DEFAULT '{}', -- answers by choice
    measured_at    timestamptz(3) NOT NULL,
    created_at     timestamptz(3) NOT NULL,
    updated_at     timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, author_id) REFERENCES users (tenant_id, id)
);
CREATE INDEX ON bank_questions (tenant_id, created_at, id);
CREATE INDEX ON bank_questions (tenant_id, author_id) WHERE author_id IS NOT NULL;
CREATE INDEX ON bank_questions (tenant_id, measured_at, id);
CREATE INDEX ON bank_questions (measured_at);
CALL guard_tenant_table('bank_questions', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY unscoped ON bank_questions FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id, measured_at) ON bank_questions TO trilha_unscoped;

CREATE TABLE bank_question_tags (
    tenant_id   uuid NOT NULL,
    tag         text NOT NULL CHECK (length(tag) BETWEEN 1 AND 60),
    question_id uuid NOT NULL,
    PRIMARY KEY (tenant_id, tag, question_id),
    FOREIGN KEY (tenant_id, question_id) REFERENCES bank_questions (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX ON bank_question_tags (tenant_id, question_id);
CALL guard_tenant_table('bank_question_tags', 'SELECT, INSERT, UPDATE, DELETE');

-- Files of questions between their upload and the import. They are removed after a day.
CREATE TABLE question_imports (
    tenant_id  uuid NOT NULL,
    id         uuid NOT NULL DEFAULT gen_random_uuid(),
    user_id    uuid NOT NULL,
    file_name  text NOT NULL,
    content    bytea NOT NULL CHECK (length(content) <= 5242880),
    created_at timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id)
);
CREATE INDEX ON question_imports (tenant_id, created_at);
CREATE INDEX ON question_imports (tenant_id, user_id);
CALL guard_tenant_table('question_imports', 'SELECT, INSERT, UPDATE, DELETE');

-- The question of the bank that a question of a quiz was copied from, as long as both say the same.
ALTER TABLE questions
    ADD COLUMN bank_question_id uuid,
    ADD CONSTRAINT questions_bank_question_id_fkey FOREIGN KEY (tenant_id, bank_question_id)
        REFERENCES bank_questions (tenant_id, id) NOT VALID;
-- How many questions are drawn from the bank, by their tags: [{"tags": […], "count": 10}, …].
ALTER TABLE quizzes ADD COLUMN bank_draws jsonb NOT NULL DEFAULT '[]';
-- Set when an attempt is handed in. It has no foreign key: what was asked stays.
ALTER TABLE quiz_answers ADD COLUMN bank_question_id uuid;
