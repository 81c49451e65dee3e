-- outside a transaction
-- The lists of people by job title, and by where they stand with any requirement.
CREATE INDEX CONCURRENTLY IF NOT EXISTS users_job_title ON users (tenant_id, job_title, created_at, id)
    WHERE job_title IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS requirement_people_state
    ON requirement_people (tenant_id, state, user_id);
