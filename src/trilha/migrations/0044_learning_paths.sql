-- Learning paths: courses in an order, and who takes them. And what of learning an administrator should look at.

CREATE TABLE learning_paths (
    tenant_id     uuid NOT NULL REFERENCES tenants (id),
    id            uuid NOT NULL DEFAULT gen_random_uuid(),
    title         text NOT NULL CHECK (length(title) BETWEEN 1 AND 200),
    title_key     text COLLATE "C" NOT NULL GENERATED ALWAYS AS (search_text(title)) STORED,
    slug          text NOT NULL,
    description   text,
    status        text NOT NULL DEFAULT 'DRAFT' CHECK (status IN ('DRAFT', 'PUBLISHED', 'ARCHIVED')),
    in_order      boolean NOT NULL DEFAULT false, -- a course opens when the one before it is completed
    deadline_days integer CHECK (deadline_days BETWEEN 1 AND 3650), -- after the assignment
    created_at    timestamptz(3) NOT NULL,
    updated_at    timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, slug)
);
CREATE INDEX ON learning_paths (tenant_id, title_key, id);
CALL guard_tenant_table('learning_paths', 'SELECT, INSERT, UPDATE, DELETE');

CREATE TABLE learning_path_courses (
    tenant_id uuid NOT NULL,
    path_id   uuid NOT NULL,
    course_id uuid NOT NULL,
    position  integer NOT NULL CHECK (position >= 1),
    PRIMARY KEY (tenant_id, path_id, course_id),
    FOREIGN KEY (tenant_id, path_id) REFERENCES learning_paths (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, course_id) REFERENCES courses (tenant_id, id)
);
CREATE INDEX ON learning_path_courses (tenant_id, course_id);
CALL guard_tenant_table('learning_path_courses', 'SELECT, INSERT, UPDATE, DELETE');

-- Groups, and units with all below them, whose people are assigned; so is who joins later.
CREATE TABLE learning_path_audiences (
    tenant_id        uuid NOT NULL,
    id               uuid NOT NULL DEFAULT gen_random_uuid(),
    path_id          uuid NOT NULL,
    group_id         uuid,
    business_unit_id uuid,
    created_at       timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE NULLS NOT DISTINCT (tenant_id, path_id, group_id, business_unit_id),
    FOREIGN KEY (tenant_id, path_id) REFERENCES learning_paths (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, group_id) REFERENCES learning_groups (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, business_unit_id) REFERENCES business_units (tenant_id, id) ON DELETE CASCADE,
    CHECK (num_nonnulls(group_id, business_unit_id) = 1)
);
CREATE INDEX ON learning_path_audiences (tenant_id, group_id) WHERE group_id IS NOT NULL;
CREATE INDEX ON learning_path_audiences (tenant_id, business_unit_id) WHERE business_unit_id IS NOT NULL;
CALL guard_tenant_table('learning_path_audiences', 'SELECT, INSERT, UPDATE, DELETE');

CREATE TABLE learning_path_assignments (
    tenant_id    uuid NOT NULL,
    path_id      uuid NOT NULL,
    user_id      uuid NOT NULL,
    assigned_at  timestamptz(3) NOT NULL,
    due_at       timestamptz(3), -- when its enrollments expire
    completed_at timestamptz(3), -- when all courses were completed for the first time
    PRIMARY KEY (tenant_id, path_id, user_id),
    FOREIGN KEY (tenant_id, path_id) REFERENCES learning_paths (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id)
);
CREATE INDEX ON learning_path_assignments (tenant_id, path_id, assigned_at, user_id);
CREATE INDEX ON learning_path_assignments (tenant_id, user_id);
CALL guard_tenant_table('learning_path_assignments', 'SELECT, INSERT, UPDATE, DELETE');

-- Why somebody on a path could not be enrolled in one of its courses.
CREATE TABLE learning_path_problems (
    tenant_id uuid NOT NULL,
    path_id   uuid NOT NULL,
    user_id   uuid NOT NULL,
    course_id uuid NOT NULL,
    code      text NOT NULL,
    at        timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, path_id, user_id, course_id),
    FOREIGN KEY (tenant_id, path_id, user_id)
        REFERENCES learning_path_assignments (tenant_id, path_id, user_id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, course_id) REFERENCES courses (tenant_id, id)
);
CALL guard_tenant_table('learning_path_problems', 'SELECT, INSERT, UPDATE, DELETE');

-- A path on its way to many people. The worker takes them in batches, in the order of their ids.
CREATE TABLE learning_path_rollouts (
    tenant_id        uuid NOT NULL,
    id               uuid NOT NULL DEFAULT gen_random_uuid(),
    path_id          uuid NOT NULL,
    -- PEOPLE: those of `people`. ASSIGNED: who is on the path already, after its courses changed.
    kind             text NOT NULL CHECK (kind IN ('PEOPLE', 'GROUP', 'UNIT', 'ASSIGNED')),
    people           uuid[], -- until it is finished
    group_id         uuid,
    business_unit_id uuid,
    last_user_id     uuid, -- the last one who was taken
    total            integer CHECK (total >= 0), -- once it is counted
    done             integer NOT NULL DEFAULT 0,
    actor_kind       text NOT NULL, -- who asked for it, as in the audit record
    actor            text NOT NULL,
    source           text NOT NULL,
    created_at       timestamptz(3) NOT NULL,
    finished_at      timestamptz(3),
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, path_id) REFERENCES learning_paths (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, group_id) REFERENCES learning_groups (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, business_unit_id) REFERENCES business_units (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX ON learning_path_rollouts (tenant_id, path_id, created_at);
CREATE INDEX learning_path_rollouts_due ON learning_path_rollouts (created_at, tenant_id)
    WHERE finished_at IS NULL;
CALL guard_tenant_table('learning_path_rollouts', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY unscoped ON learning_path_rollouts FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id, created_at, finished_at) ON learning_path_rollouts TO trilha_unscoped;

-- What may bring somebody onto a path or further on it; the worker takes and removes it. Rows are only added
-- by others, so that nobody waits for the worker.
CREATE TABLE learning_path_changes (
    tenant_id  uuid NOT NULL,
    id         uuid NOT NULL DEFAULT gen_random_uuid(),
    path_id    uuid NOT NULL,
    user_id    uuid NOT NULL,
    joins      boolean NOT NULL, -- came into a group or unit; else: completed a course
    created_at timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, path_id) REFERENCES learning_paths (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX learning_path_changes_due ON learning_path_changes (created_at, tenant_id);
CREATE INDEX ON learning_path_changes (tenant_id, created_at);
CALL guard_tenant_table('learning_path_changes', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY unscoped ON learning_path_changes FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id, created_at) ON learning_path_changes TO trilha_unscoped;

-- Triggers, so that no way into a group or unit, and no way to complete a course, leaves somebody behind.
CREATE FUNCTION note_new_members() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO learning_path_changes (tenant_id, path_id, user_id, joins, created_at)
    SELECT joined.tenant_id, audience.path_id, joined.user_id, true, joined.added_at
    FROM joined JOIN learning_path_audiences AS audience
        ON audience.tenant_id = joined.tenant_id AND audience.group_id = joined.group_id;
    RETURN NULL;
END
$$;
CREATE TRIGGER note_new_members AFTER INSERT ON learning_group_members
    REFERENCING NEW TABLE AS joined FOR EACH STATEMENT EXECUTE FUNCTION note_new_members();

-- The paths that are for a unit or for one above it.
CREATE FUNCTION paths_of_unit(tenant uuid, unit uuid) RETURNS SETOF uuid LANGUAGE sql STABLE AS $$
    WITH RECURSIVE above AS (
        SELECT id, parent_id FROM business_units WHERE tenant_id = tenant AND id = unit
        UNION
        SELECT higher.id, higher.parent_id FROM business_units AS higher
        JOIN above ON higher.id = above.parent_id WHERE higher.tenant_id = tenant)
    SELECT DISTINCT audience.path_id FROM learning_path_audiences AS audience
    JOIN above ON above.id = audience.business_unit_id WHERE audience.tenant_id = tenant
$$;
CREATE FUNCTION note_unit_of_person() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- Most tenants have no path for units; then nothing is looked up but this.
    IF EXISTS (SELECT FROM learning_path_audiences
               WHERE tenant_id = NEW.tenant_id AND business_unit_id IS NOT NULL) THEN
        INSERT INTO learning_path_changes (tenant_id, path_id, user_id, joins, created_at)
        SELECT NEW.tenant_id, path_id, NEW.id, true, NEW.updated_at
        FROM paths_of_unit(NEW.tenant_id, NEW.business_unit_id) AS path_id;
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER note_unit_of_new AFTER INSERT ON users FOR EACH ROW
    WHEN (NEW.business_unit_id IS NOT NULL) EXECUTE FUNCTION note_unit_of_person();
CREATE TRIGGER note_unit AFTER UPDATE ON users FOR EACH ROW
    WHEN (NEW.business_unit_id IS NOT NULL AND OLD.business_unit_id IS DISTINCT FROM NEW.business_unit_id)
    EXECUTE FUNCTION note_unit_of_person();

CREATE FUNCTION note_moved_unit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO learning_path_rollouts (tenant_id, path_id, kind, business_unit_id, actor_kind, actor, source,
                                        created_at)
    SELECT NEW.tenant_id, path_id, 'UNIT', NEW.id, 'system', 'trilha', '', NEW.updated_at
    FROM paths_of_unit(NEW.tenant_id, NEW.parent_id) AS path_id;
    RETURN NULL;
END
$$;
CREATE TRIGGER note_moved_unit AFTER UPDATE ON business_units FOR EACH ROW
    WHEN (NEW.parent_id IS NOT NULL AND OLD.parent_id IS DISTINCT FROM NEW.parent_id)
    EXECUTE FUNCTION note_moved_unit();

-- What the worker compares of a module, one row for each enrollment: nobody's attempts are read for another's.
CREATE TABLE module_observations (
    tenant_id     uuid NOT NULL,
    enrollment_id uuid NOT NULL,
    module_id     uuid NOT NULL,
    user_id       uuid NOT NULL,
    answers       integer NOT NULL, -- in all attempts
    seconds       double precision, -- by the server's clock, when it was first seen completed
    state_hash    bytea, -- of what content kept last, where that is long enough to be somebody's own
    observed_at   timestamptz(3) NOT NULL, -- when it was first seen completed, or first
    PRIMARY KEY (tenant_id, enrollment_id, module_id),
    FOREIGN KEY (tenant_id, enrollment_id) REFERENCES enrollments (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, module_id) REFERENCES modules (tenant_id, id)
);
CREATE INDEX ON module_observations (tenant_id, module_id, user_id) WHERE answers > 0;
CREATE INDEX ON module_observations (tenant_id, module_id, observed_at) WHERE seconds IS NOT NULL;
CREATE INDEX ON module_observations (tenant_id, module_id, state_hash) WHERE state_hash IS NOT NULL;
CALL guard_tenant_table('module_observations', 'SELECT, INSERT, UPDATE, DELETE');

-- What is unusual about how a module was done. It changes nothing by itself: somebody looks at it.
CREATE TABLE review_flags (
    tenant_id     uuid NOT NULL,
    enrollment_id uuid NOT NULL,
    module_id     uuid NOT NULL,
    kind          text NOT NULL CHECK (kind IN ('NO_ANSWERS', 'TOO_FAST', 'SAME_STATE', 'CLAIMED_TIME')),
    detail        jsonb NOT NULL, -- the figures
    flagged_at    timestamptz(3) NOT NULL,
    dismissed_at  timestamptz(3),
    dismissed_by  uuid,
    reason        text CHECK (length(reason) BETWEEN 1 AND 500),
    PRIMARY KEY (tenant_id, enrollment_id, module_id, kind),
    FOREIGN KEY (tenant_id, enrollment_id) REFERENCES enrollments (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, module_id) REFERENCES modules (tenant_id, id),
    FOREIGN KEY (tenant_id, dismissed_by) REFERENCES users (tenant_id, id),
    CHECK (num_nulls(dismissed_at, dismissed_by, reason) IN (0, 3))
);
CREATE INDEX ON review_flags (tenant_id, flagged_at, enrollment_id) WHERE dismissed_at IS NULL;
CALL guard_tenant_table('review_flags', 'SELECT, INSERT, UPDATE, DELETE');

-- Enrollments to look at, each after something of it ended; the worker takes and removes them.
CREATE TABLE review_checks (
    tenant_id     uuid NOT NULL,
    id            uuid NOT NULL DEFAULT gen_random_uuid(),
    enrollment_id uuid NOT NULL,
    created_at    timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, enrollment_id) REFERENCES enrollments (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX review_checks_due ON review_checks (created_at, tenant_id);
CREATE INDEX ON review_checks (tenant_id, created_at);
CALL guard_tenant_table('review_checks', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY unscoped ON review_checks FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id, created_at) ON review_checks TO trilha_unscoped;

CREATE FUNCTION note_completed_enrollment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO learning_path_changes (tenant_id, path_id, user_id, joins, created_at)
    SELECT NEW.tenant_id, part.path_id, NEW.user_id, false, NEW.updated_at
    FROM learning_path_courses AS part
    WHERE part.tenant_id = NEW.tenant_id AND part.course_id = NEW.course_id;
    INSERT INTO review_checks (tenant_id, enrollment_id, created_at)
    VALUES (NEW.tenant_id, NEW.id, NEW.updated_at);
    RETURN NULL;
END
$$;
CREATE TRIGGER note_completed AFTER UPDATE ON enrollments FOR EACH ROW
    WHEN (NEW.status = 'COMPLETED' AND OLD.status <> 'COMPLETED')
    EXECUTE FUNCTION note_completed_enrollment();

CREATE FUNCTION note_ended_attempt() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO review_checks (tenant_id, enrollment_id, created_at)
    VALUES (NEW.tenant_id, NEW.enrollment_id, COALESCE(NEW.ended_at, NEW.started_at));
    RETURN NULL;
END
$$;
CREATE TRIGGER note_ended AFTER UPDATE ON attempts FOR EACH ROW
    WHEN (OLD.ended_at IS DISTINCT FROM NEW.ended_at OR OLD.told IS DISTINCT FROM NEW.told)
    EXECUTE FUNCTION note_ended_attempt();
