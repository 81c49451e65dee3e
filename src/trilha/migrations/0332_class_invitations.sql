-- Invitations by mail to the sessions of classes.

-- What the people in a class have to be told, in the order in which it happened. The worker takes one notice of a
-- class after the other. A finished notice about people is deleted. The last finished notice about a session stays: it
-- is what people were told about it.
CREATE TABLE class_notices (
    tenant_id   uuid NOT NULL,
    class_id    uuid NOT NULL,
    number      bigint NOT NULL,
    kind        text NOT NULL CHECK (kind IN ('SESSION', 'SESSION_CANCELLED', 'REGISTERED', 'UNREGISTERED')),
    session_id  uuid,
    starts_at   timestamptz(3),
    ends_at     timestamptz(3),
    time_zone   text,
    room        text,
    meeting_url text,
    user_ids    uuid[],
    last_user_id     uuid, -- the last person who was told, in the order of ids
    is_pending  boolean NOT NULL DEFAULT true,
    PRIMARY KEY (tenant_id, class_id, number),
    FOREIGN KEY (tenant_id, class_id) REFERENCES classes (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, session_id) REFERENCES class_sessions (tenant_id, id) ON DELETE CASCADE,
    CHECK ((kind IN ('SESSION', 'SESSION_CANCELLED')) = (session_id IS NOT NULL)),
    CHECK ((kind IN ('REGISTERED', 'UNREGISTERED')) = (user_ids IS NOT NULL)),
    CHECK ((kind = 'SESSION') = (starts_at IS NOT NULL AND ends_at IS NOT NULL AND time_zone IS NOT NULL))
);
CREATE INDEX class_notices_pending ON class_notices (tenant_id, class_id, number) WHERE is_pending;
CREATE INDEX ON class_notices (tenant_id, session_id);
CALL guard_tenant_table('class_notices', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY unscoped ON class_notices FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id, is_pending) ON class_notices TO trilha_unscoped;

-- The people who are told about the sessions of a class: those with a place, as far as notices are finished.
CREATE TABLE class_invitees (
    tenant_id uuid NOT NULL,
    class_id  uuid NOT NULL,
    user_id   uuid NOT NULL,
    PRIMARY KEY (tenant_id, class_id, user_id),
    FOREIGN KEY (tenant_id, class_id) REFERENCES classes (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id)
);
CREATE INDEX ON class_invitees (tenant_id, user_id);
CALL guard_tenant_table('class_invitees', 'SELECT, INSERT, UPDATE, DELETE');

-- The invitation of a person to a session, as it stands in their calendar.
CREATE TABLE class_invitations (
    tenant_id    uuid NOT NULL,
    session_id   uuid NOT NULL,
    user_id      uuid NOT NULL,
    sequence     integer NOT NULL, -- of the last message
    ends_at      timestamptz(3) NOT NULL, -- of the session, as the person was told
    is_cancelled boolean NOT NULL DEFAULT false,
    PRIMARY KEY (tenant_id, session_id, user_id),
    FOREIGN KEY (tenant_id, session_id) REFERENCES class_sessions (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id)
);
CREATE INDEX ON class_invitations (tenant_id, user_id);
CALL guard_tenant_table('class_invitations', 'SELECT, INSERT, UPDATE, DELETE');
