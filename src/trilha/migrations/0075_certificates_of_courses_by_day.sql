-- An instructor's certificates of some days, course by course.
CREATE INDEX ON certificates (tenant_id, course_id, issued_at, id);
