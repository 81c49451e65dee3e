-- What the minutes of a module count as on certificates, if its author has chosen it. Otherwise it follows from the type.
ALTER TABLE all_modules
    ADD COLUMN workload_kind text,
    ADD COLUMN delivery text,
    ADD CONSTRAINT all_modules_workload_kind_check CHECK (workload_kind IN ('THEORY', 'PRACTICE')) NOT VALID,
    ADD CONSTRAINT all_modules_delivery_check CHECK (delivery IN ('DISTANCE', 'IN_PERSON')) NOT VALID;
CREATE OR REPLACE VIEW modules WITH (security_invoker = true) AS
    SELECT * FROM all_modules WHERE removed_at IS NULL;
ALTER TABLE module_imports ADD COLUMN workload_kind text, ADD COLUMN delivery text;
