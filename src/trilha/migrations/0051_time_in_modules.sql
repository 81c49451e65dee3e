-- How long a person was in a module: what a package says of their score counts by it. And what an attempt was
-- changed by after newer launches of it had begun.

ALTER TABLE module_progress
    ADD COLUMN credited_seconds double precision NOT NULL DEFAULT 0; -- of all launches, by the server's clock
ALTER TABLE module_progress NO FORCE ROW LEVEL SECURITY;
ALTER TABLE launches NO FORCE ROW LEVEL SECURITY;
ALTER TABLE attempts NO FORCE ROW LEVEL SECURITY;
UPDATE module_progress AS p SET credited_seconds = spent.seconds
FROM (SELECT l.tenant_id, l.enrollment_id, a.module_id, sum(l.credited_seconds) AS seconds
      FROM launches l JOIN attempts a ON a.tenant_id = l.tenant_id AND a.id = l.attempt_id
      GROUP BY l.tenant_id, l.enrollment_id, a.module_id) AS spent
WHERE p.tenant_id = spent.tenant_id AND p.enrollment_id = spent.enrollment_id
  AND p.module_id = spent.module_id AND spent.seconds > 0;
ALTER TABLE attempts FORCE ROW LEVEL SECURITY;
ALTER TABLE launches FORCE ROW LEVEL SECURITY;
ALTER TABLE module_progress FORCE ROW LEVEL SECURITY;

ALTER TABLE attempts
    ADD COLUMN late_commits integer NOT NULL DEFAULT 0, -- of superseded launches, that changed it
    ADD COLUMN late_launch bigint NOT NULL DEFAULT 0; -- the number of the last of these launches
