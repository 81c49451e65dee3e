-- What learners answer in quizzes.

-- What an attempt at a quiz was asked. It never changes, whatever becomes of the quiz.
CREATE TABLE quiz_attempts (
    tenant_id    uuid NOT NULL,
    attempt_id   uuid NOT NULL,
    quiz_id      uuid NOT NULL, -- no foreign key: the quiz may go, what was asked stays
    questions    jsonb NOT NULL, -- those that were drawn, in the order in which they are asked, with answer keys
    pass_mark    double precision NOT NULL,
    feedback     text NOT NULL,
    handed_in_at timestamptz(3),
    graded_at    timestamptz(3), -- when the score was decided: on handing in, or by the last voice answer
    PRIMARY KEY (tenant_id, attempt_id),
    FOREIGN KEY (tenant_id, attempt_id) REFERENCES attempts (tenant_id, id) ON DELETE CASCADE
);
CALL guard_tenant_table('quiz_attempts', 'SELECT, INSERT, UPDATE, DELETE');

-- A voice answer's recording; its bytes are in the file store, at voice/{tenant_id}/{id}. The worker deletes
-- the file and the row of one that was replaced, or whose speaker was erased.
CREATE TABLE voice_recordings (
    tenant_id   uuid NOT NULL,
    id          uuid NOT NULL,
    attempt_id  uuid NOT NULL,
    question_id uuid NOT NULL,
    media_type  text NOT NULL,
    size        bigint NOT NULL CHECK (size > 0), -- in bytes
    created_at  timestamptz(3) NOT NULL,
    removed_at  timestamptz(3),
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, attempt_id) REFERENCES attempts (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX ON voice_recordings (tenant_id, attempt_id);
CREATE INDEX ON voice_recordings (removed_at) WHERE removed_at IS NOT NULL;
CALL guard_tenant_table('voice_recordings', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY unscoped ON voice_recordings FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id, removed_at) ON voice_recordings TO trilha_unscoped;

-- The answers of an attempt, as they are given; graded when it is handed in.
CREATE TABLE quiz_answers (
    tenant_id       uuid NOT NULL,
    attempt_id      uuid NOT NULL,
    question_id     uuid NOT NULL,
    response        jsonb NOT NULL, -- ids of choices, true or false, text, or the id of a recording
    latency_seconds double precision NOT NULL, -- how long the question was looked at, as the browser says
    answered_at     timestamptz(3) NOT NULL,
    points          double precision, -- 0 up to the question's weight; null until it is graded
    comment         text NOT NULL DEFAULT '', -- of whoever graded a voice answer
    graded_by       uuid,
    graded_at       timestamptz(3),
    awaits_since    timestamptz(3), -- a voice answer that was handed in and is not graded
    PRIMARY KEY (tenant_id, attempt_id, question_id),
    FOREIGN KEY (tenant_id, attempt_id) REFERENCES quiz_attempts (tenant_id, attempt_id) ON DELETE CASCADE
);
CREATE INDEX ON quiz_answers (tenant_id, awaits_since) WHERE awaits_since IS NOT NULL;
CREATE INDEX ON quiz_answers (tenant_id, graded_at) WHERE graded_by IS NOT NULL;
CALL guard_tenant_table('quiz_answers', 'SELECT, INSERT, UPDATE, DELETE');
