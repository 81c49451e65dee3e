-- The player: a launch is found by the token in its address, and whose it is must still be somebody active.

GRANT SELECT (enrollment_id, seen_at, started_at) ON launches TO trilha_unscoped;
GRANT SELECT (tenant_id, id, user_id) ON enrollments TO trilha_unscoped;

-- Where a learner is in the activities of a SCORM 2004 package whose parts are sequenced: the runtime's own
-- state, as its browser sent it last. It is one for all parts of the package.
CREATE TABLE sequencing_states (
    tenant_id     uuid NOT NULL,
    enrollment_id uuid NOT NULL,
    package_id    uuid NOT NULL,
    state         text NOT NULL, -- JSON of the runtime
    updated_at    timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, enrollment_id, package_id),
    FOREIGN KEY (tenant_id, enrollment_id) REFERENCES enrollments (tenant_id, id) ON DELETE CASCADE
);
CALL guard_tenant_table('sequencing_states', 'SELECT, INSERT, UPDATE, DELETE');
