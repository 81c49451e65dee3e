ALTER TABLE imports VALIDATE CONSTRAINT imports_enroll_kind, VALIDATE CONSTRAINT imports_enroll_target;
