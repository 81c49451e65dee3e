-- What runs out in 36 months of a large company is added up from an index alone.
ALTER TABLE course_deadlines
    DROP CONSTRAINT course_deadlines_pkey,
    ADD PRIMARY KEY (tenant_id, month, course_id) INCLUDE (overdue, expiring);
