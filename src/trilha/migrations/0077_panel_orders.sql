-- The enrollments of a course by their last change, for those who teach it.
CREATE INDEX ON all_enrollments (tenant_id, course_id, updated_at, id);

-- Certificates of some days: in the order of creation they may lie far down.
CREATE INDEX ON certificates (tenant_id, issued_at, id);
