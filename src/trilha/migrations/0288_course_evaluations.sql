-- What learners think of a course after completing it, and 90 days later of how they use it at work.

-- Answers are published in batches of at least five people. Results are made of whole batches only, so that no
-- two results differ by the answers of fewer people.
CREATE TABLE course_evaluation_batches (
    tenant_id    uuid NOT NULL,
    id           uuid NOT NULL DEFAULT gen_random_uuid(),
    course_id    uuid NOT NULL,
    kind         text NOT NULL CHECK (kind IN ('REACTION', 'APPLICATION')),
    published_at timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, course_id) REFERENCES courses (tenant_id, id)
);
CREATE INDEX ON course_evaluation_batches (tenant_id, course_id, kind, published_at);
CALL guard_tenant_table('course_evaluation_batches', 'SELECT, INSERT, UPDATE, DELETE');

CREATE TABLE course_evaluations (
    tenant_id     uuid NOT NULL,
    id            uuid NOT NULL DEFAULT gen_random_uuid(),
    kind          text NOT NULL CHECK (kind IN ('REACTION', 'APPLICATION')),
    course_id     uuid NOT NULL,
    enrollment_id uuid, -- NULL, as is the person: their data was erased
    user_id       uuid,
    skipped       boolean NOT NULL DEFAULT false,
    due_at        timestamptz(3), -- when the person is asked; NULL: they are not
    asked_at      timestamptz(3),
    answered_at   timestamptz(3),
    content       integer CHECK (content BETWEEN 1 AND 5),
    clarity       integer CHECK (clarity BETWEEN 1 AND 5),
    instructor    integer CHECK (instructor BETWEEN 1 AND 5),
    platform      integer CHECK (platform BETWEEN 1 AND 5),
    applicability integer CHECK (applicability BETWEEN 1 AND 5),
    nps           integer CHECK (nps BETWEEN 0 AND 10),
    applied       integer CHECK (applied BETWEEN 1 AND 5),
    text          text CHECK (length(text) BETWEEN 1 AND 2000),
    batch_id      uuid, -- NULL: not published yet
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, enrollment_id, kind),
    FOREIGN KEY (tenant_id, course_id) REFERENCES courses (tenant_id, id),
    FOREIGN KEY (tenant_id, enrollment_id) REFERENCES all_enrollments (tenant_id, id),
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id),
    FOREIGN KEY (tenant_id, batch_id) REFERENCES course_evaluation_batches (tenant_id, id),
    CHECK ((answered_at IS NULL) = (nps IS NULL AND applied IS NULL)),
    CHECK (batch_id IS NULL OR answered_at IS NOT NULL)
);
CREATE INDEX course_evaluations_due ON course_evaluations (due_at, tenant_id) WHERE asked_at IS NULL;
CREATE INDEX ON course_evaluations (tenant_id, due_at) WHERE asked_at IS NULL;
CREATE INDEX ON course_evaluations (tenant_id, course_id, kind, batch_id);
CREATE INDEX ON course_evaluations (tenant_id, batch_id);
CREATE INDEX ON course_evaluations (tenant_id, user_id);
CALL guard_tenant_table('course_evaluations', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY unscoped ON course_evaluations FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id, due_at, asked_at) ON course_evaluations TO trilha_unscoped;

-- Whether people are asked. The index of reminders that happen once covers the new kind already.
ALTER TABLE tenant_settings ADD COLUMN course_evaluations boolean NOT NULL DEFAULT true;
