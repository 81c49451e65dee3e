-- One person's place in one course.
CREATE TABLE enrollments (
    tenant_id    uuid NOT NULL,
    id           uuid NOT NULL DEFAULT gen_random_uuid(),
    user_id      uuid NOT NULL,
    course_id    uuid NOT NULL,
    status       text NOT NULL DEFAULT 'NOT_STARTED'
                 CHECK (status IN ('NOT_STARTED', 'IN_PROGRESS', 'COMPLETED', 'EXPIRED')),
    -- True refuses another place in the same course. A past place is null, which a unique key passes over.
    current      boolean DEFAULT true CHECK (current),
    progress     double precision NOT NULL DEFAULT 0 CHECK (progress BETWEEN 0 AND 100),
    score        double precision CHECK (score BETWEEN 0 AND 100),
    started_at   timestamptz(3),
    completed_at timestamptz(3),
    expires_at   timestamptz(3),
    created_at   timestamptz(3) NOT NULL,
    updated_at   timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, user_id, course_id, current),
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id),
    FOREIGN KEY (tenant_id, course_id) REFERENCES courses (tenant_id, id),
    CHECK (current IS NOT NULL OR status IN ('COMPLETED', 'EXPIRED')),
    CHECK (status <> 'EXPIRED' OR current IS NULL),
    CHECK ((status = 'COMPLETED') = (completed_at IS NOT NULL)),
    CHECK (status IN ('NOT_STARTED', 'EXPIRED') OR started_at IS NOT NULL)
);
CREATE INDEX ON enrollments (tenant_id, created_at, id);
CREATE INDEX ON enrollments (tenant_id, updated_at, id);
CREATE INDEX ON enrollments (tenant_id, course_id, created_at, id);
CREATE INDEX ON enrollments (tenant_id, status, created_at, id);
-- What runs out, soonest first, for the worker.
CREATE INDEX enrollments_due ON enrollments (expires_at, tenant_id)
    WHERE status IN ('NOT_STARTED', 'IN_PROGRESS') AND expires_at IS NOT NULL;
-- The same of one course, for its statistics.
CREATE INDEX enrollments_due_in_course ON enrollments (tenant_id, course_id, expires_at)
    WHERE status IN ('NOT_STARTED', 'IN_PROGRESS') AND expires_at IS NOT NULL;
CALL guard_tenant_table('enrollments', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY door ON enrollments FOR SELECT TO trilha_door USING (true);
GRANT SELECT (tenant_id, status, expires_at) ON enrollments TO trilha_door;

-- What a course's enrollments come to, changed with each of them. Several rows a course: who writes adds
-- to any one, so that two seldom wait for each other; who reads adds them up. Expired is what is left.
CREATE TABLE course_tallies (
    tenant_id    uuid NOT NULL,
    course_id    uuid NOT NULL,
    slot         smallint NOT NULL,
    enrollments  bigint NOT NULL DEFAULT 0,
    not_started  bigint NOT NULL DEFAULT 0,
    in_progress  bigint NOT NULL DEFAULT 0,
    completed    bigint NOT NULL DEFAULT 0,
    scored       bigint NOT NULL DEFAULT 0,
    score        numeric NOT NULL DEFAULT 0, -- sums, exact
    progress     numeric NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, course_id, slot),
    FOREIGN KEY (tenant_id, course_id) REFERENCES courses (tenant_id, id)
) WITH (fillfactor = 50); -- room for the sums to change in place
CALL guard_tenant_table('course_tallies', 'SELECT, INSERT, UPDATE, DELETE');
