-- The texts of a question in a further language of its course. There is one answer key: that of the question.
CREATE TABLE question_translations (
    tenant_id   uuid NOT NULL,
    question_id uuid NOT NULL,
    language    text NOT NULL CHECK (length(language) BETWEEN 2 AND 35),
    texts       jsonb NOT NULL, -- {"text": "…", "feedback": "…", "choices": {"id": "…"}}
    source      bytea NOT NULL, -- a digest of the texts that were translated
    is_outdated boolean NOT NULL DEFAULT false, -- the question has changed since
    updated_at  timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, question_id, language),
    FOREIGN KEY (tenant_id, question_id) REFERENCES questions (tenant_id, id) ON DELETE CASCADE
);
CALL guard_tenant_table('question_translations', 'SELECT, INSERT, UPDATE, DELETE');
