-- Classes: modules of the type CLASS, which are completed by presence in the sessions of a class.
ALTER TABLE all_modules
    ADD COLUMN presence_percent integer, -- of the minutes of a class; only a CLASS has it
    DROP CONSTRAINT modules_type_check,
    ADD CONSTRAINT all_modules_type_check
        CHECK (type IN ('SCORM', 'VIDEO', 'DOCUMENT', 'ARTICLE', 'QUIZ', 'CLASS')) NOT VALID,
    ADD CONSTRAINT all_modules_presence_check
        CHECK ((type = 'CLASS') = (presence_percent IS NOT NULL) AND presence_percent BETWEEN 1 AND 100) NOT VALID;
CREATE OR REPLACE VIEW modules WITH (security_invoker = true) AS
    SELECT * FROM all_modules WHERE removed_at IS NULL;

-- A class. Whoever changes it, its sessions or its registrations locks this row first, so that its numbers of people
-- are right.
CREATE TABLE classes (
    tenant_id       uuid NOT NULL,
    id              uuid NOT NULL DEFAULT gen_random_uuid(),
    course_id       uuid NOT NULL,
    module_id       uuid NOT NULL,
    title           text NOT NULL CHECK (length(title) BETWEEN 1 AND 200),
    minimum_people  integer NOT NULL CHECK (minimum_people BETWEEN 0 AND 10000),
    maximum_people  integer NOT NULL CHECK (maximum_people BETWEEN 1 AND 10000),
    waiting_list    boolean NOT NULL,
    registered      integer NOT NULL DEFAULT 0 CHECK (registered >= 0),
    waitlisted      integer NOT NULL DEFAULT 0 CHECK (waitlisted >= 0),
    last_ticket     bigint NOT NULL DEFAULT 0, -- the number of the last person on the waiting list
    ends_at         timestamptz(3), -- of the last session that is not cancelled; null without one
    cancelled_at    timestamptz(3),
    cancel_reason   text CHECK (length(cancel_reason) BETWEEN 1 AND 1000),
    created_at      timestamptz(3) NOT NULL,
    updated_at      timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, course_id) REFERENCES courses (tenant_id, id),
    FOREIGN KEY (tenant_id, module_id) REFERENCES all_modules (tenant_id, id),
    CHECK (registered <= maximum_people),
    CHECK (minimum_people <= maximum_people),
    CHECK ((cancelled_at IS NULL) = (cancel_reason IS NULL))
);
CREATE INDEX ON classes (tenant_id, created_at, id);
CREATE INDEX ON classes (tenant_id, updated_at, id);
CREATE INDEX ON classes (tenant_id, course_id, created_at, id);
CREATE INDEX ON classes (tenant_id, module_id);
CALL guard_tenant_table('classes', 'SELECT, INSERT, UPDATE, DELETE');

-- A session of a class: when and where people meet.
CREATE TABLE class_sessions (
    tenant_id     uuid NOT NULL,
    id            uuid NOT NULL DEFAULT gen_random_uuid(),
    class_id      uuid NOT NULL,
    starts_at     timestamptz(3) NOT NULL,
    ends_at       timestamptz(3) NOT NULL,
    time_zone     text NOT NULL CHECK (length(time_zone) BETWEEN 1 AND 64), -- an IANA name
    room          text CHECK (length(room) BETWEEN 1 AND 200),
    room_key      text CHECK (length(room_key) BETWEEN 1 AND 800), -- the same for each spelling of a room's name
    meeting_url   text CHECK (length(meeting_url) BETWEEN 1 AND 2000),
    revision      integer NOT NULL DEFAULT 0, -- counts the changes of time, place or link
    cancelled_at  timestamptz(3),
    cancel_reason text CHECK (length(cancel_reason) BETWEEN 1 AND 1000),
    created_at    timestamptz(3) NOT NULL,
    updated_at    timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, class_id) REFERENCES classes (tenant_id, id) ON DELETE CASCADE,
    CHECK (ends_at >= starts_at + interval '1 minute'),
    CHECK ((room IS NULL) = (room_key IS NULL)),
    CHECK ((cancelled_at IS NULL) = (cancel_reason IS NULL))
);
CREATE INDEX ON class_sessions (tenant_id, class_id, starts_at, id);
-- For overlaps. No session is longer than the longest that is allowed, so that a range of starts is enough.
CREATE INDEX ON class_sessions (tenant_id, starts_at) WHERE cancelled_at IS NULL;
CREATE INDEX ON class_sessions (tenant_id, room_key, starts_at) WHERE cancelled_at IS NULL AND room_key IS NOT NULL;
CALL guard_tenant_table('class_sessions', 'SELECT, INSERT, UPDATE, DELETE');

CREATE TABLE class_instructors (
    tenant_id  uuid NOT NULL,
    session_id uuid NOT NULL,
    user_id    uuid NOT NULL,
    number     integer NOT NULL, -- their order
    PRIMARY KEY (tenant_id, session_id, user_id),
    FOREIGN KEY (tenant_id, session_id) REFERENCES class_sessions (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id)
);
CREATE INDEX ON class_instructors (tenant_id, user_id);
CALL guard_tenant_table('class_instructors', 'SELECT, INSERT, UPDATE, DELETE');

-- A person in a class, or on its waiting list. Who cancels and registers anew gets another row.
CREATE TABLE class_registrations (
    tenant_id     uuid NOT NULL,
    id            uuid NOT NULL DEFAULT gen_random_uuid(),
    class_id      uuid NOT NULL,
    user_id       uuid NOT NULL,
    enrollment_id uuid NOT NULL,
    status        text NOT NULL CHECK (status IN ('REGISTERED', 'WAITLISTED', 'CANCELLED')),
    ticket        bigint, -- orders the waiting list; null for who has never waited
    cancelled_at  timestamptz(3),
    cancel_reason text CHECK (length(cancel_reason) BETWEEN 1 AND 1000),
    created_at    timestamptz(3) NOT NULL,
    updated_at    timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, class_id) REFERENCES classes (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id),
    FOREIGN KEY (tenant_id, enrollment_id) REFERENCES all_enrollments (tenant_id, id),
    CHECK ((status = 'CANCELLED') = (cancelled_at IS NOT NULL)),
    CHECK (status <> 'WAITLISTED' OR ticket IS NOT NULL)
);
CREATE UNIQUE INDEX class_registrations_once ON class_registrations (tenant_id, class_id, user_id)
    WHERE cancelled_at IS NULL;
CREATE UNIQUE INDEX class_registrations_waiting ON class_registrations (tenant_id, class_id, ticket)
    WHERE status = 'WAITLISTED';
CREATE INDEX ON class_registrations (tenant_id, class_id, created_at, id);
CREATE INDEX ON class_registrations (tenant_id, user_id);
CREATE INDEX ON class_registrations (tenant_id, enrollment_id);
CALL guard_tenant_table('class_registrations', 'SELECT, INSERT, UPDATE, DELETE');

-- How many minutes a person was in a session. Each change is also in the log of the enrollment.
CREATE TABLE class_attendance (
    tenant_id   uuid NOT NULL,
    session_id  uuid NOT NULL,
    user_id     uuid NOT NULL,
    minutes     integer NOT NULL CHECK (minutes BETWEEN 0 AND 20000),
    method      text NOT NULL CHECK (method IN ('LIST', 'QR', 'SIGNATURE')),
    recorded_at timestamptz(3) NOT NULL,
    actor_kind  text NOT NULL, -- who recorded it, as in the audit record
    actor       text NOT NULL,
    PRIMARY KEY (tenant_id, session_id, user_id),
    FOREIGN KEY (tenant_id, session_id) REFERENCES class_sessions (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id)
);
CREATE INDEX ON class_attendance (tenant_id, user_id);
CALL guard_tenant_table('class_attendance', 'SELECT, INSERT, UPDATE, DELETE');

-- What attendance was before each correction, and why it was corrected.
CREATE TABLE attendance_corrections (
    tenant_id      uuid NOT NULL,
    id             uuid NOT NULL DEFAULT gen_random_uuid(),
    session_id     uuid NOT NULL,
    user_id        uuid NOT NULL,
    minutes_before integer NOT NULL,
    method_before  text NOT NULL,
    minutes        integer NOT NULL,
    reason         text CHECK (length(reason) BETWEEN 1 AND 1000), -- NULL: erased
    actor_kind     text NOT NULL,
    actor          text NOT NULL,
    created_at     timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, session_id) REFERENCES class_sessions (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id)
);
CREATE INDEX ON attendance_corrections (tenant_id, session_id, user_id, created_at);
CREATE INDEX ON attendance_corrections (tenant_id, user_id);
CALL guard_tenant_table('attendance_corrections', 'SELECT, INSERT, UPDATE, DELETE');

-- Enrollments whose presence in classes has changed, so that their completion must be judged, or that were cancelled
-- and hold places. Insert last: whoever holds one of these rows waits for no other lock.
CREATE TABLE presence_checks (
    tenant_id     uuid NOT NULL,
    enrollment_id uuid NOT NULL,
    token         uuid NOT NULL, -- another one with each change, so that none is missed while a worker judges
    PRIMARY KEY (tenant_id, enrollment_id),
    FOREIGN KEY (tenant_id, enrollment_id) REFERENCES all_enrollments (tenant_id, id) ON DELETE CASCADE
);
CALL guard_tenant_table('presence_checks', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY unscoped ON presence_checks FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id) ON presence_checks TO trilha_unscoped;

CREATE FUNCTION check_presence() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM class_registrations AS held
               WHERE held.tenant_id = NEW.tenant_id AND held.enrollment_id = NEW.id AND held.cancelled_at IS NULL)
    THEN
        INSERT INTO presence_checks (tenant_id, enrollment_id, token)
        VALUES (NEW.tenant_id, NEW.id, gen_random_uuid())
        ON CONFLICT (tenant_id, enrollment_id) DO UPDATE SET token = excluded.token;
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER check_presence AFTER UPDATE OF cancelled_at ON all_enrollments FOR EACH ROW
    WHEN (OLD.cancelled_at IS NULL AND NEW.cancelled_at IS NOT NULL) EXECUTE FUNCTION check_presence();
