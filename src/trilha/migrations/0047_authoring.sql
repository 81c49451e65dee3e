-- Modules are removed without being forgotten, courses have pictures, and what learners have reached is looked
-- at again when their course changes.

-- A module that somebody has begun is evidence: it stays here when it is removed. Whoever reads what a course
-- is made of reads the view; writing goes to the table.
ALTER TABLE modules RENAME TO all_modules;
ALTER TABLE all_modules ADD COLUMN removed_at timestamptz(3);
ALTER TABLE all_modules DROP CONSTRAINT modules_tenant_id_course_id_position_key;
CREATE UNIQUE INDEX all_modules_position ON all_modules (tenant_id, course_id, position) WHERE removed_at IS NULL;

-- The modules that courses are made of now. It does what whoever asks may do: the policies of the table hold.
-- Citus changes nothing through a view, so that statements which change modules name the table.
CREATE VIEW modules WITH (security_invoker = true) AS SELECT * FROM all_modules WHERE removed_at IS NULL;
GRANT SELECT, INSERT, UPDATE, DELETE ON modules TO trilha_app;

-- Courses whose modules or regulation were changed while people take them: the worker looks at how far each of
-- these people is now, some at a time, and then removes the row.
CREATE TABLE changed_courses (
    tenant_id  uuid NOT NULL,
    course_id  uuid NOT NULL,
    changed_at timestamptz(3) NOT NULL, -- the last time
    after_at   timestamptz(3), -- when the enrollment was made that was looked at last, and its id;
    after_id   uuid, -- null where nobody's was
    PRIMARY KEY (tenant_id, course_id),
    FOREIGN KEY (tenant_id, course_id) REFERENCES courses (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX ON changed_courses (changed_at, tenant_id);
CALL guard_tenant_table('changed_courses', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY unscoped ON changed_courses FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id, changed_at) ON changed_courses TO trilha_unscoped;
