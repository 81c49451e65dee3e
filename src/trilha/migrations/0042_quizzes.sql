-- Quizzes: what is asked in a module of type QUIZ, and how it is graded.

CREATE TABLE quizzes (
    tenant_id         uuid NOT NULL REFERENCES tenants (id),
    id                uuid NOT NULL DEFAULT gen_random_uuid(),
    pass_mark         double precision NOT NULL CHECK (pass_mark BETWEEN 0 AND 100),
    attempts          integer CHECK (attempts >= 1), -- how many a learner has; null is any number
    shuffle_questions boolean NOT NULL,
    shuffle_choices   boolean NOT NULL,
    -- What a learner is shown of the questions after an attempt: nothing, what was right, or the answers too.
    feedback          text NOT NULL CHECK (feedback IN ('never', 'result', 'answers')),
    draws             jsonb NOT NULL DEFAULT '{}', -- by pool: how many of its questions are asked; else all
    created_at        timestamptz(3) NOT NULL,
    updated_at        timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CALL guard_tenant_table('quizzes', 'SELECT, INSERT, UPDATE, DELETE');

-- A question as its authors have it now. An attempt keeps a copy of what it was asked, so that a change here
-- changes nothing for whoever has begun.
CREATE TABLE questions (
    tenant_id  uuid NOT NULL,
    id         uuid NOT NULL DEFAULT gen_random_uuid(),
    quiz_id    uuid NOT NULL,
    position   integer NOT NULL, -- the order within the quiz; not without gaps
    kind       text NOT NULL CHECK (kind IN ('single', 'multiple', 'true_false', 'numeric', 'fill_in', 'voice')),
    text       text NOT NULL,
    weight     double precision NOT NULL CHECK (weight > 0),
    pool       text NOT NULL DEFAULT '', -- the name of the pool that it is drawn from; empty is none
    feedback   text NOT NULL DEFAULT '', -- shown after the attempt, where the quiz shows any
    answer_key jsonb NOT NULL, -- the members of its kind: choices, the right value, what is accepted
    created_at timestamptz(3) NOT NULL,
    updated_at timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, quiz_id) REFERENCES quizzes (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX ON questions (tenant_id, quiz_id, position);
CALL guard_tenant_table('questions', 'SELECT, INSERT, UPDATE, DELETE');
