-- Reminders: what a person is told about a course, once for each kind and channel.

-- The enrollments about which something may have to be said later. The worker looks at them at `next_at`.
CREATE TABLE reminder_schedules (
    tenant_id     uuid NOT NULL,
    enrollment_id uuid NOT NULL,
    user_id       uuid NOT NULL,
    announced     boolean NOT NULL DEFAULT false, -- whether the person was told of the enrollment
    next_at       timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, enrollment_id),
    FOREIGN KEY (tenant_id, enrollment_id) REFERENCES all_enrollments (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX reminder_schedules_due ON reminder_schedules (next_at, tenant_id);
CREATE INDEX ON reminder_schedules (tenant_id, next_at);
CALL guard_tenant_table('reminder_schedules', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY unscoped ON reminder_schedules FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id, next_at) ON reminder_schedules TO trilha_unscoped;

CREATE TABLE reminders (
    tenant_id     uuid NOT NULL,
    id            uuid NOT NULL DEFAULT gen_random_uuid(),
    user_id       uuid NOT NULL, -- who is told
    enrollment_id uuid NOT NULL,
    kind          text NOT NULL,
    text          text CHECK (length(text) <= 2000), -- of a reminder by hand
    created_at    timestamptz(3) NOT NULL,
    read_at       timestamptz(3),
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id),
    FOREIGN KEY (tenant_id, enrollment_id) REFERENCES all_enrollments (tenant_id, id) ON DELETE CASCADE
);
-- What makes each kind happen once.
CREATE UNIQUE INDEX reminders_once ON reminders (tenant_id, enrollment_id, user_id, kind) WHERE kind <> 'manual';
CREATE INDEX ON reminders (tenant_id, enrollment_id);
CREATE INDEX ON reminders (tenant_id, user_id, created_at, id);
CREATE INDEX ON reminders (tenant_id, user_id) WHERE read_at IS NULL;
CALL guard_tenant_table('reminders', 'SELECT, INSERT, UPDATE, DELETE');

-- A reminder on its way through one channel. The id goes with every attempt.
CREATE TABLE reminder_deliveries (
    tenant_id       uuid NOT NULL,
    id              uuid NOT NULL DEFAULT gen_random_uuid(),
    reminder_id     uuid NOT NULL,
    user_id         uuid NOT NULL,
    channel         text NOT NULL CHECK (channel IN ('mail', 'web_push', 'teams', 'slack')),
    address_id      uuid, -- NULL: the e-mail address
    status          text NOT NULL DEFAULT 'PENDING' CHECK (status IN ('PENDING', 'SENT', 'DROPPED', 'FAILED')),
    attempts        integer NOT NULL DEFAULT 0,
    next_attempt_at timestamptz(3) NOT NULL,
    error           text,
    PRIMARY KEY (tenant_id, id),
    UNIQUE NULLS NOT DISTINCT (tenant_id, reminder_id, channel, address_id),
    FOREIGN KEY (tenant_id, reminder_id) REFERENCES reminders (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX reminder_mails_due ON reminder_deliveries (next_attempt_at, tenant_id)
    WHERE status = 'PENDING' AND channel = 'mail';
CREATE INDEX reminder_calls_due ON reminder_deliveries (next_attempt_at, tenant_id)
    WHERE status = 'PENDING' AND channel <> 'mail';
CREATE INDEX ON reminder_deliveries (tenant_id, next_attempt_at) WHERE status = 'PENDING';
CREATE INDEX ON reminder_deliveries (tenant_id, user_id) WHERE status = 'PENDING';
CALL guard_tenant_table('reminder_deliveries', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY unscoped ON reminder_deliveries FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id, channel, status, next_attempt_at) ON reminder_deliveries TO trilha_unscoped;

CREATE TABLE reminder_settings (
    tenant_id    uuid PRIMARY KEY REFERENCES tenants (id),
    quiet_from   text CHECK (quiet_from ~ '^[0-2][0-9]:[0-5][0-9]$'),
    quiet_until  text CHECK (quiet_until ~ '^[0-2][0-9]:[0-5][0-9]$'),
    working_days integer[] NOT NULL DEFAULT '{1,2,3,4,5,6,7}', -- 1 is Monday
    kinds_off    text[] NOT NULL DEFAULT '{}',
    updated_at   timestamptz(3) NOT NULL
);
CALL guard_tenant_table('reminder_settings', 'SELECT, INSERT, UPDATE, DELETE');

-- Where a person wants reminders beside mail: a sealed push subscription, or the address of an incoming webhook.
CREATE TABLE reminder_addresses (
    tenant_id   uuid NOT NULL,
    id          uuid NOT NULL DEFAULT gen_random_uuid(),
    user_id     uuid NOT NULL,
    channel     text NOT NULL CHECK (channel IN ('web_push', 'teams', 'slack')),
    fingerprint bytea NOT NULL, -- of the address, so that it is there once
    address     bytea NOT NULL, -- sealed
    created_at  timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, user_id, channel, fingerprint),
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id)
);
CALL guard_tenant_table('reminder_addresses', 'SELECT, INSERT, UPDATE, DELETE');

-- The key pair with which a company identifies itself to push services (RFC 8292).
CREATE TABLE push_keys (
    tenant_id   uuid NOT NULL REFERENCES tenants (id),
    id          uuid NOT NULL DEFAULT gen_random_uuid(),
    private_key bytea NOT NULL, -- sealed
    created_at  timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id)
);
CALL guard_tenant_table('push_keys', 'SELECT, INSERT, UPDATE, DELETE');

-- Triggers, so that no way to enroll or to move a due date leaves anybody behind.
CREATE FUNCTION schedule_reminders() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.status = 'COMPLETED' OR NEW.cancelled_at IS NOT NULL THEN
        DELETE FROM reminder_schedules WHERE tenant_id = NEW.tenant_id AND enrollment_id = NEW.id;
    ELSE
        INSERT INTO reminder_schedules (tenant_id, enrollment_id, user_id, announced, next_at)
        VALUES (NEW.tenant_id, NEW.id, NEW.user_id, TG_OP = 'UPDATE', NEW.created_at)
        ON CONFLICT (tenant_id, enrollment_id) DO UPDATE SET next_at = excluded.next_at;
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER schedule_reminders_of_new AFTER INSERT ON all_enrollments FOR EACH ROW
    WHEN (NEW.status = 'NOT_STARTED') EXECUTE FUNCTION schedule_reminders();
CREATE TRIGGER schedule_reminders AFTER UPDATE ON all_enrollments FOR EACH ROW
    WHEN (OLD.due_at IS DISTINCT FROM NEW.due_at OR OLD.expires_at IS DISTINCT FROM NEW.expires_at
          OR OLD.cancelled_at IS DISTINCT FROM NEW.cancelled_at
          OR (NEW.status = 'COMPLETED' AND OLD.status <> 'COMPLETED'))
    EXECUTE FUNCTION schedule_reminders();

-- Open enrollments with a due date from before: their people know of them.
ALTER TABLE all_enrollments NO FORCE ROW LEVEL SECURITY;
ALTER TABLE reminder_schedules NO FORCE ROW LEVEL SECURITY;
INSERT INTO reminder_schedules (tenant_id, enrollment_id, user_id, announced, next_at)
SELECT tenant_id, id, user_id, true, created_at FROM all_enrollments
WHERE status IN ('NOT_STARTED', 'IN_PROGRESS') AND cancelled_at IS NULL AND expires_at IS NOT NULL
RETURNING tenant_id;
ALTER TABLE reminder_schedules FORCE ROW LEVEL SECURITY;
ALTER TABLE all_enrollments FORCE ROW LEVEL SECURITY;
