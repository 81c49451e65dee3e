-- Who must hold which course or learning path, until when, and where everybody stands.

-- How long a completion of this course is valid for this person, while a requirement applies.
CREATE TABLE renewal_terms (
    tenant_id    uuid NOT NULL,
    user_id      uuid NOT NULL,
    course_id    uuid NOT NULL,
    renew_months integer, -- NULL: as long as the course's certificates
    window_days  integer NOT NULL,
    PRIMARY KEY (tenant_id, user_id, course_id),
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, course_id) REFERENCES courses (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX ON renewal_terms (tenant_id, course_id);
CALL guard_tenant_table('renewal_terms', 'SELECT, INSERT, UPDATE, DELETE');

CREATE TABLE requirements (
    tenant_id          uuid NOT NULL REFERENCES tenants (id),
    id                 uuid NOT NULL DEFAULT gen_random_uuid(),
    title              text NOT NULL CHECK (length(title) BETWEEN 1 AND 200),
    rule               jsonb NOT NULL,
    course_id          uuid,
    learning_path_id   uuid,
    due_days           integer CHECK (due_days >= 0),
    due_on             text CHECK (due_on ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'),
    renew_months       integer CHECK (renew_months BETWEEN 1 AND 1200),
    window_days        integer NOT NULL CHECK (window_days BETWEEN 1 AND 365),
    active             boolean NOT NULL,
    cancel_not_started boolean NOT NULL,
    deleted_at         timestamptz(3), -- until its people are released
    created_at         timestamptz(3) NOT NULL,
    updated_at         timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, course_id) REFERENCES courses (tenant_id, id),
    FOREIGN KEY (tenant_id, learning_path_id) REFERENCES learning_paths (tenant_id, id),
    CHECK (num_nonnulls(course_id, learning_path_id) = 1),
    CHECK (num_nonnulls(due_days, due_on) = 1)
);
CREATE INDEX ON requirements (tenant_id, created_at, id);
CREATE INDEX ON requirements (tenant_id, course_id) WHERE course_id IS NOT NULL;
CREATE INDEX ON requirements (tenant_id, learning_path_id) WHERE learning_path_id IS NOT NULL;
CALL guard_tenant_table('requirements', 'SELECT, INSERT, UPDATE, DELETE');

-- A person to whom a requirement applies. The worker writes it.
CREATE TABLE requirement_people (
    tenant_id        uuid NOT NULL,
    requirement_id   uuid NOT NULL,
    user_id          uuid NOT NULL,
    applies_since    timestamptz(3) NOT NULL, -- without a break
    state            text NOT NULL CHECK (state IN ('VALID', 'DUE_SOON', 'OVERDUE', 'MISSING', 'EXCUSED')),
    due_at           timestamptz(3),
    valid_until      timestamptz(3),
    enrollment_id    uuid,
    business_unit_id uuid NOT NULL, -- the person's unit when this was written; zeros: none
    next_at          timestamptz(3), -- when time alone changes something
    problem          text, -- the error code of an enrollment that could not be made
    satisfied_by     uuid, -- the completion of the last requirement.satisfied
    overdue_at       timestamptz(3), -- the due date of the last requirement.overdue
    PRIMARY KEY (tenant_id, requirement_id, user_id),
    FOREIGN KEY (tenant_id, requirement_id) REFERENCES requirements (tenant_id, id),
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id)
);
CREATE INDEX ON requirement_people (tenant_id, user_id);
CREATE INDEX ON requirement_people (tenant_id, requirement_id, state, user_id);
CREATE INDEX ON requirement_people (tenant_id, next_at) WHERE next_at IS NOT NULL;
CREATE INDEX requirement_people_due ON requirement_people (next_at, tenant_id) WHERE next_at IS NOT NULL;
CALL guard_tenant_table('requirement_people', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY unscoped ON requirement_people FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id, next_at) ON requirement_people TO trilha_unscoped;

-- Each change of a person's state, for the state on an earlier day. A NULL state: the requirement ceased to apply.
CREATE TABLE requirement_history (
    tenant_id        uuid NOT NULL,
    id               uuid NOT NULL DEFAULT gen_random_uuid(),
    requirement_id   uuid NOT NULL,
    user_id          uuid NOT NULL,
    state            text,
    business_unit_id uuid NOT NULL,
    changed_at       timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id)
);
CREATE INDEX ON requirement_history (tenant_id, requirement_id, user_id, changed_at);
CREATE INDEX ON requirement_history (tenant_id, user_id);
CALL guard_tenant_table('requirement_history', 'SELECT, INSERT, UPDATE, DELETE');

-- How many people of a unit are in which state. Written with requirement_people.
CREATE TABLE requirement_totals (
    tenant_id        uuid NOT NULL,
    requirement_id   uuid NOT NULL,
    business_unit_id uuid NOT NULL, -- zeros: people without a unit
    state            text NOT NULL,
    people           integer NOT NULL,
    PRIMARY KEY (tenant_id, requirement_id, business_unit_id, state),
    FOREIGN KEY (tenant_id, requirement_id) REFERENCES requirements (tenant_id, id) ON DELETE CASCADE
);
CALL guard_tenant_table('requirement_totals', 'SELECT, INSERT, UPDATE, DELETE');

CREATE TABLE requirement_excuses (
    tenant_id      uuid NOT NULL,
    requirement_id uuid NOT NULL,
    user_id        uuid NOT NULL,
    reason         text NOT NULL CHECK (length(reason) BETWEEN 1 AND 500),
    until          timestamptz(3), -- NULL: for good
    excused_by     uuid,
    created_at     timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, requirement_id, user_id),
    FOREIGN KEY (tenant_id, requirement_id) REFERENCES requirements (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id)
);
CREATE INDEX ON requirement_excuses (tenant_id, user_id);
CALL guard_tenant_table('requirement_excuses', 'SELECT, INSERT, UPDATE, DELETE');

-- The tenants that use requirements. The worker locks the row, so that one process at a time decides.
CREATE TABLE requirement_engines (
    tenant_id uuid PRIMARY KEY REFERENCES tenants (id),
    swept_at  timestamptz(3) NOT NULL -- when everybody was last put in line
);
CALL guard_tenant_table('requirement_engines', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY unscoped ON requirement_engines FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT ON requirement_engines TO trilha_unscoped;

-- People about whom something has changed. Others only add rows, so that nobody waits for the worker.
CREATE TABLE requirement_checks (
    tenant_id  uuid NOT NULL,
    id         uuid NOT NULL DEFAULT gen_random_uuid(),
    user_id    uuid NOT NULL,
    created_at timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX requirement_checks_due ON requirement_checks (created_at, tenant_id);
CREATE INDEX ON requirement_checks (tenant_id, created_at);
CREATE INDEX ON requirement_checks (tenant_id, user_id);
CALL guard_tenant_table('requirement_checks', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY unscoped ON requirement_checks FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id, created_at) ON requirement_checks TO trilha_unscoped;

-- A walk through everybody, after a requirement or what it rests on has changed.
CREATE TABLE requirement_sweeps (
    tenant_id    uuid NOT NULL,
    id           uuid NOT NULL DEFAULT gen_random_uuid(),
    last_user_id uuid,
    created_at   timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX requirement_sweeps_due ON requirement_sweeps (created_at, tenant_id);
CALL guard_tenant_table('requirement_sweeps', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY unscoped ON requirement_sweeps FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id, created_at) ON requirement_sweeps TO trilha_unscoped;

-- Triggers, so that no way to change a person leaves anybody behind. Where no requirement was ever made, each costs
-- one look into an index.
CREATE FUNCTION check_requirements_of(tenant uuid, person uuid, moment timestamptz) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM requirement_engines WHERE tenant_id = tenant) THEN
        INSERT INTO requirement_checks (tenant_id, user_id, created_at) VALUES (tenant, person, moment);
    END IF;
END
$$;
CREATE FUNCTION check_requirements_of_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM check_requirements_of(NEW.tenant_id, NEW.id, NEW.updated_at);
    RETURN NULL;
END
$$;
CREATE TRIGGER check_requirements_of_new AFTER INSERT ON users FOR EACH ROW
    EXECUTE FUNCTION check_requirements_of_user();
CREATE TRIGGER check_requirements AFTER UPDATE ON users FOR EACH ROW
    WHEN (ROW (OLD.status, OLD.role, OLD.business_unit_id, OLD.department, OLD.job_title, OLD.hire_date,
               OLD.custom_fields, OLD.cpf, OLD.phone, OLD.birth_date, OLD.cnh)
          IS DISTINCT FROM
          ROW (NEW.status, NEW.role, NEW.business_unit_id, NEW.department, NEW.job_title, NEW.hire_date,
               NEW.custom_fields, NEW.cpf, NEW.phone, NEW.birth_date, NEW.cnh))
    EXECUTE FUNCTION check_requirements_of_user();

CREATE FUNCTION check_requirements_of_member() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        PERFORM check_requirements_of(NEW.tenant_id, NEW.user_id, NEW.added_at);
    ELSE
        PERFORM check_requirements_of(OLD.tenant_id, OLD.user_id, OLD.added_at);
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER check_requirements AFTER INSERT OR DELETE ON learning_group_members FOR EACH ROW
    EXECUTE FUNCTION check_requirements_of_member();

CREATE FUNCTION check_requirements_of_enrollment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM check_requirements_of(NEW.tenant_id, NEW.user_id, NEW.updated_at);
    RETURN NULL;
END
$$;
CREATE TRIGGER check_requirements_of_new AFTER INSERT ON all_enrollments FOR EACH ROW
    EXECUTE FUNCTION check_requirements_of_enrollment();
CREATE TRIGGER check_requirements AFTER UPDATE ON all_enrollments FOR EACH ROW
    WHEN (OLD.status IS DISTINCT FROM NEW.status OR OLD.cancelled_at IS DISTINCT FROM NEW.cancelled_at
          OR OLD.current IS DISTINCT FROM NEW.current)
    EXECUTE FUNCTION check_requirements_of_enrollment();

CREATE FUNCTION sweep_requirements(tenant uuid, moment timestamptz) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM requirement_engines WHERE tenant_id = tenant) THEN
        INSERT INTO requirement_sweeps (tenant_id, created_at) VALUES (tenant, moment);
    END IF;
END
$$;
CREATE FUNCTION sweep_requirements_of_row() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM sweep_requirements(NEW.tenant_id, NEW.updated_at);
    RETURN NULL;
END
$$;
CREATE TRIGGER sweep_requirements AFTER UPDATE ON business_units FOR EACH ROW
    WHEN (OLD.parent_id IS DISTINCT FROM NEW.parent_id) EXECUTE FUNCTION sweep_requirements_of_row();
CREATE TRIGGER sweep_requirements AFTER UPDATE ON courses FOR EACH ROW
    WHEN (OLD.status IS DISTINCT FROM NEW.status OR OLD.regulation IS DISTINCT FROM NEW.regulation
          OR OLD.certificate_validity_months IS DISTINCT FROM NEW.certificate_validity_months)
    EXECUTE FUNCTION sweep_requirements_of_row();
-- A path is also updated when its courses change.
CREATE TRIGGER sweep_requirements AFTER UPDATE ON learning_paths FOR EACH ROW
    EXECUTE FUNCTION sweep_requirements_of_row();
