-- An enrollment that a requirement made has a due date, which ends nothing: `expires_at` does.
ALTER TABLE all_enrollments
    ADD COLUMN due_at timestamptz(3),
    ADD COLUMN required_by uuid, -- the requirement that made it
    -- From when the person may be enrolled again although this completion is still valid. NULL: the usual time
    -- before `valid_until`.
    ADD COLUMN renewable_from timestamptz(3);
CREATE OR REPLACE VIEW enrollments WITH (security_invoker = true) AS
    SELECT * FROM all_enrollments WHERE cancelled_at IS NULL;
