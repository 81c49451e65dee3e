-- Deadlines by month: what ran out, what will, and reports by mail of a part of what their reader sees.

-- Of each month in each course, changed with the enrollment or the certificate. One row, where course_counters
-- has sixteen: it is written to last and seldom, and those of two years of all courses are read at once.
CREATE TABLE course_deadlines (
    tenant_id uuid NOT NULL,
    course_id uuid NOT NULL,
    month     date NOT NULL, -- its first day, in São Paulo
    overdue   bigint NOT NULL DEFAULT 0, -- enrollments that are EXPIRED, by the month of expires_at
    expiring  bigint NOT NULL DEFAULT 0, -- certificates that are not revoked, by the month of expires_at
    PRIMARY KEY (tenant_id, month, course_id),
    FOREIGN KEY (tenant_id, course_id) REFERENCES courses (tenant_id, id)
) WITH (fillfactor = 50); -- room for the counts to change in place
CREATE INDEX ON course_deadlines (tenant_id, course_id, month);
CALL guard_tenant_table('course_deadlines', 'SELECT, INSERT, UPDATE, DELETE');

-- The owner of the tables is bound by row-level security and has no policy: lifted while rows are carried over.
ALTER TABLE all_enrollments NO FORCE ROW LEVEL SECURITY;
ALTER TABLE certificates NO FORCE ROW LEVEL SECURITY;
ALTER TABLE course_deadlines NO FORCE ROW LEVEL SECURITY;
INSERT INTO course_deadlines (tenant_id, course_id, month, overdue, expiring)
SELECT tenant_id, course_id, month, sum(overdue), sum(expiring)
FROM (SELECT tenant_id, course_id, expires_at, 1 AS overdue, 0 AS expiring FROM all_enrollments
      WHERE status = 'EXPIRED' AND expires_at IS NOT NULL AND cancelled_at IS NULL
      UNION ALL
      SELECT tenant_id, course_id, expires_at, 0, 1 FROM certificates
      WHERE revoked_at IS NULL AND expires_at IS NOT NULL) AS ending
CROSS JOIN LATERAL (
    SELECT date_trunc('month', expires_at AT TIME ZONE 'America/Sao_Paulo')::date AS month) AS dated
GROUP BY 1, 2, 3;
ALTER TABLE course_deadlines FORCE ROW LEVEL SECURITY;
ALTER TABLE certificates FORCE ROW LEVEL SECURITY;
ALTER TABLE all_enrollments FORCE ROW LEVEL SECURITY;

-- What ends in a course, soonest first.
CREATE INDEX ON certificates (tenant_id, course_id, expires_at, id)
    WHERE revoked_at IS NULL AND expires_at IS NOT NULL;

-- What the mail is about: NULL is everything. With what it is about, it ends.
ALTER TABLE report_mails
    ADD COLUMN course_id uuid,
    ADD COLUMN unit_id   uuid,
    ADD COLUMN group_id  uuid,
    ADD COLUMN months    smallint NOT NULL DEFAULT 12 CHECK (months BETWEEN 1 AND 60),
    ADD FOREIGN KEY (tenant_id, course_id) REFERENCES courses (tenant_id, id) ON DELETE CASCADE,
    ADD FOREIGN KEY (tenant_id, unit_id) REFERENCES business_units (tenant_id, id) ON DELETE CASCADE,
    ADD FOREIGN KEY (tenant_id, group_id) REFERENCES learning_groups (tenant_id, id) ON DELETE CASCADE;
CREATE INDEX ON report_mails (tenant_id, course_id) WHERE course_id IS NOT NULL;
CREATE INDEX ON report_mails (tenant_id, unit_id) WHERE unit_id IS NOT NULL;
CREATE INDEX ON report_mails (tenant_id, group_id) WHERE group_id IS NOT NULL;
