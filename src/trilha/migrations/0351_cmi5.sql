-- cmi5: modules of the type CMI5, the sessions of their content, and what learners have reached by its statements.
ALTER TABLE all_modules
    DROP CONSTRAINT IF EXISTS all_modules_type_check,
    ADD CONSTRAINT all_modules_type_check
        CHECK (type IN ('SCORM', 'VIDEO', 'DOCUMENT', 'ARTICLE', 'QUIZ', 'CLASS', 'PRACTICE', 'CMI5')) NOT VALID;
ALTER TABLE packages
    DROP CONSTRAINT packages_version_check,
    ADD CONSTRAINT packages_version_known CHECK (version IN ('1.2', '2004', 'cmi5')) NOT VALID;
ALTER TABLE module_imports
    DROP CONSTRAINT module_imports_type_check,
    ADD CONSTRAINT module_imports_type_known CHECK (type IN ('SCORM', 'CMI5', 'DOCUMENT', 'VIDEO')) NOT VALID;

-- One opening of the content of a module. A preview has a session without an enrollment.
CREATE TABLE cmi5_sessions (
    tenant_id         uuid NOT NULL REFERENCES tenants (id),
    id                uuid NOT NULL, -- the session ID of cmi5
    user_id           uuid NOT NULL,
    launch_id         uuid NOT NULL, -- or the preview's
    enrollment_id     uuid,
    module_id         uuid NOT NULL,
    registration      uuid NOT NULL, -- the enrollment's id, or the preview's
    agent             uuid NOT NULL, -- the key of the learner's agent
    mode              text NOT NULL CHECK (mode IN ('Normal', 'Browse', 'Review')),
    fetch_fingerprint bytea NOT NULL, -- of the code in the fetch address
    token_fingerprint bytea NOT NULL, -- of the token that the content gets for it
    files_fingerprint bytea NOT NULL, -- of the token in the addresses of the package's files
    fetched_at        timestamptz(3),
    preferences_at    timestamptz(3), -- when the content has read the learner's preferences
    initialized_at    timestamptz(3),
    completed_at      timestamptz(3),
    judged_at         timestamptz(3), -- passed or failed
    terminated_at     timestamptz(3),
    abandoned_at      timestamptz(3),
    last_at           timestamptz(3) NOT NULL, -- of the last statement
    started_at        timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, enrollment_id) REFERENCES all_enrollments (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX ON cmi5_sessions (tenant_id, registration, module_id);
CREATE INDEX ON cmi5_sessions (tenant_id, enrollment_id);
CREATE INDEX ON cmi5_sessions (tenant_id, user_id);
-- The look-ups before the tenant is known.
CREATE INDEX ON cmi5_sessions (fetch_fingerprint);
CREATE INDEX ON cmi5_sessions (token_fingerprint);
CREATE INDEX ON cmi5_sessions (files_fingerprint);
CALL guard_tenant_table('cmi5_sessions', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY unscoped ON cmi5_sessions FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT ON cmi5_sessions TO trilha_unscoped;

-- What an enrollment has reached in the assignable units (AU) of a package, and in its blocks and the whole.
CREATE TABLE cmi5_progress (
    tenant_id     uuid NOT NULL,
    enrollment_id uuid NOT NULL,
    package_id    uuid NOT NULL,
    kind          text NOT NULL CHECK (kind IN ('AU', 'BLOCK', 'COURSE')),
    identifier    text COLLATE "C" NOT NULL, -- in the course structure
    completed_at  timestamptz(3),
    passed_at     timestamptz(3),
    failed_at     timestamptz(3),
    waived_at     timestamptz(3),
    satisfied_at  timestamptz(3),
    PRIMARY KEY (tenant_id, enrollment_id, package_id, kind, identifier),
    FOREIGN KEY (tenant_id, enrollment_id) REFERENCES all_enrollments (tenant_id, id) ON DELETE CASCADE
);
CALL guard_tenant_table('cmi5_progress', 'SELECT, INSERT, UPDATE, DELETE');
