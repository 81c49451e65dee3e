-- One person's place in one course.
CREATE TABLE enrollments (
    tenant_id    uuid NOT NULL,
    id           uuid NOT NULL DEFAULT gen_random_uuid(),
    user_id      uuid NOT NULL,
    course_id    uuid NOT NULL,
    status       text NOT NULL DEFAULT 'NOT_STARTED'
                 CHECK (status IN ('NOT_STARTED', 'IN_PROGRESS', 'COMPLETED', 'EXPIRED')),
    current      boolean NOT NULL DEFAULT true, -- refuses another place in the same course
    progress     double precision NOT NULL DEFAULT 0 CHECK (progress BETWEEN 0 AND 100),
    score        double precision CHECK (score BETWEEN 0 AND 100),
    started_at   timestamptz(3),
    completed_at timestamptz(3),
    expires_at   timestamptz(3),
    created_at   timestamptz(3) NOT NULL,
    updated_at   timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id),
    FOREIGN KEY (tenant_id, course_id) REFERENCES courses (tenant_id, id),
    CHECK (current OR status IN ('COMPLETED', 'EXPIRED')),
    CHECK (status <> 'EXPIRED' OR NOT current),
    CHECK ((status = 'COMPLETED') = (completed_at IS NOT NULL)),
    CHECK (status IN ('NOT_STARTED', 'EXPIRED') OR started_at IS NOT NULL)
);
CREATE UNIQUE INDEX enrollments_current ON enrollments (tenant_id, user_id, course_id) WHERE current;
CREATE INDEX ON enrollments (tenant_id, created_at, id);
CREATE INDEX ON enrollments (tenant_id, updated_at, id);
CREATE INDEX ON enrollments (tenant_id, user_id, created_at, id);
CREATE INDEX ON enrollments (tenant_id, course_id, created_at, id)
    INCLUDE (status, score, progress, expires_at); -- the course's statistics are read from here alone
CREATE INDEX ON enrollments (tenant_id, status, created_at, id);
-- What runs out, soonest first, for the worker.
CREATE INDEX enrollments_due ON enrollments (expires_at, tenant_id)
    WHERE status IN ('NOT_STARTED', 'IN_PROGRESS') AND expires_at IS NOT NULL;
CALL guard_tenant_table('enrollments', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY door ON enrollments FOR SELECT TO trilha_door USING (true);
GRANT SELECT (tenant_id, status, expires_at) ON enrollments TO trilha_door;
