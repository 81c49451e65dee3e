-- Services for video calls with which a company makes the links of sessions.
CREATE TABLE meeting_services (
    tenant_id   uuid NOT NULL REFERENCES tenants (id),
    kind        text NOT NULL CHECK (kind IN ('google_meet', 'teams', 'zoom')),
    credentials bytea NOT NULL, -- sealed
    organizer   text NOT NULL CHECK (length(organizer) BETWEEN 1 AND 254), -- in whose name calls are made
    error       text, -- why the last request failed; null if it did not
    checked_at  timestamptz(3), -- of the last request
    created_at  timestamptz(3) NOT NULL,
    updated_at  timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, kind)
);
CALL guard_tenant_table('meeting_services', 'SELECT, INSERT, UPDATE, DELETE');

-- Sessions whose link a service has to make.
CREATE TABLE meeting_requests (
    tenant_id       uuid NOT NULL,
    session_id      uuid NOT NULL,
    kind            text NOT NULL CHECK (kind IN ('google_meet', 'teams', 'zoom')),
    status          text NOT NULL DEFAULT 'PENDING' CHECK (status IN ('PENDING', 'DONE', 'FAILED')),
    attempts        integer NOT NULL DEFAULT 0,
    next_attempt_at timestamptz(3),
    error           text, -- of the last attempt that failed
    created_at      timestamptz(3) NOT NULL,
    updated_at      timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, session_id),
    FOREIGN KEY (tenant_id, session_id) REFERENCES class_sessions (tenant_id, id) ON DELETE CASCADE,
    CHECK ((status = 'PENDING') = (next_attempt_at IS NOT NULL))
);
CREATE INDEX meeting_requests_due ON meeting_requests (next_attempt_at, tenant_id) WHERE status = 'PENDING';
CREATE INDEX ON meeting_requests (tenant_id, status, updated_at);
CALL guard_tenant_table('meeting_requests', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY unscoped ON meeting_requests FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id, status, next_attempt_at) ON meeting_requests TO trilha_unscoped;
