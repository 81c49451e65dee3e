-- What courses completed in a month is counted in slots, so that who completes at once does not wait for each
-- other. Of a month that is over the worker makes one row: a company with thousands of courses is read as quickly.
CREATE INDEX course_completions_to_merge ON course_completions (month, tenant_id) WHERE slot > 0;
CREATE POLICY unscoped ON course_completions FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id, month, slot) ON course_completions TO trilha_unscoped;
