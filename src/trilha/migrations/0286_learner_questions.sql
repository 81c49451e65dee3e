-- Questions that learners ask the instructors of a course, and the answers.
CREATE TABLE learner_questions (
    tenant_id     uuid NOT NULL,
    id            uuid NOT NULL DEFAULT gen_random_uuid(),
    enrollment_id uuid NOT NULL,
    user_id       uuid NOT NULL, -- who asks
    course_id     uuid NOT NULL,
    module_id     uuid, -- NULL: about the whole course
    state         text NOT NULL DEFAULT 'WAITING' CHECK (state IN ('WAITING', 'ANSWERED', 'CLOSED')),
    waiting_since timestamptz(3), -- the oldest message without an answer
    answered_at   timestamptz(3), -- the first answer
    closed_at     timestamptz(3),
    shared_at     timestamptz(3), -- since when every learner of the course sees it, without the asker's name
    changed_at    timestamptz(3) NOT NULL,
    created_at    timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, enrollment_id) REFERENCES all_enrollments (tenant_id, id),
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id),
    FOREIGN KEY (tenant_id, course_id) REFERENCES courses (tenant_id, id),
    CHECK ((state = 'WAITING') = (waiting_since IS NOT NULL)),
    CHECK ((state = 'CLOSED') = (closed_at IS NOT NULL))
);
CREATE INDEX ON learner_questions (tenant_id, created_at, id);
CREATE INDEX ON learner_questions (tenant_id, waiting_since, id) WHERE waiting_since IS NOT NULL;
CREATE INDEX ON learner_questions (tenant_id, state, changed_at, id);
CREATE INDEX ON learner_questions (tenant_id, course_id, created_at, id);
CREATE INDEX ON learner_questions (tenant_id, course_id, waiting_since, id) WHERE waiting_since IS NOT NULL;
CREATE INDEX ON learner_questions (tenant_id, user_id, created_at, id);
CREATE INDEX ON learner_questions (tenant_id, enrollment_id);
CALL guard_tenant_table('learner_questions', 'SELECT, INSERT, UPDATE, DELETE');

CREATE TABLE learner_question_messages (
    tenant_id   uuid NOT NULL,
    id          uuid NOT NULL DEFAULT gen_random_uuid(),
    question_id uuid NOT NULL,
    number      integer NOT NULL, -- 1 is the question itself
    user_id     uuid NOT NULL, -- who wrote it
    is_answer   boolean NOT NULL,
    text        text CHECK (length(text) BETWEEN 1 AND 4000), -- NULL: erased
    created_at  timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, question_id, number),
    FOREIGN KEY (tenant_id, question_id) REFERENCES learner_questions (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id)
);
CREATE INDEX ON learner_question_messages (tenant_id, user_id);
CALL guard_tenant_table('learner_question_messages', 'SELECT, INSERT, UPDATE, DELETE');

-- The courses whose instructors may show a question to every learner.
CREATE TABLE learner_question_sharing (
    tenant_id  uuid NOT NULL,
    course_id  uuid NOT NULL,
    updated_at timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, course_id),
    FOREIGN KEY (tenant_id, course_id) REFERENCES courses (tenant_id, id)
);
CALL guard_tenant_table('learner_question_sharing', 'SELECT, INSERT, UPDATE, DELETE');

-- The message that a reminder is about. It has no foreign key: reminders outlive erased messages.
ALTER TABLE reminders ADD COLUMN message_id uuid;
