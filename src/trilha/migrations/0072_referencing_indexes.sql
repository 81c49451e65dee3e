-- Deleting a row looks into every table that refers to it, once a row: without an index each look is a scan,
-- and wiping a homologation tenant takes the square of its size.
CREATE INDEX ON certificates (tenant_id, enrollment_id);
CREATE INDEX ON review_checks (tenant_id, enrollment_id);
CREATE INDEX ON review_flags (tenant_id, module_id);
CREATE INDEX ON review_flags (tenant_id, dismissed_by) WHERE dismissed_by IS NOT NULL;
CREATE INDEX ON previews (tenant_id, module_id);
CREATE INDEX ON all_modules (tenant_id, course_id);
CREATE INDEX ON learning_path_problems (tenant_id, course_id);
CREATE INDEX ON learning_path_rollouts (tenant_id, group_id) WHERE group_id IS NOT NULL;
CREATE INDEX ON learning_path_rollouts (tenant_id, business_unit_id) WHERE business_unit_id IS NOT NULL;
CREATE INDEX ON learning_path_changes (tenant_id, path_id);
CREATE INDEX ON learning_path_changes (tenant_id, user_id);
