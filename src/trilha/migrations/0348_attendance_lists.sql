-- Marks of attendance that devices sent, so that a mark that is sent again changes nothing.
CREATE TABLE attendance_marks (
    tenant_id  uuid NOT NULL,
    id         uuid NOT NULL, -- chosen by the device
    session_id uuid NOT NULL,
    user_id    uuid NOT NULL,
    minutes    integer NOT NULL,
    marked_at  timestamptz(3) NOT NULL, -- by the device's clock
    created_at timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, session_id) REFERENCES class_sessions (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id)
);
CREATE INDEX ON attendance_marks (tenant_id, session_id);
CREATE INDEX ON attendance_marks (tenant_id, user_id);
CALL guard_tenant_table('attendance_marks', 'SELECT, INSERT, UPDATE, DELETE');

-- Scans of lists on paper, which people signed. The files are sealed in the file store.
CREATE TABLE attendance_scans (
    tenant_id     uuid NOT NULL,
    id            uuid NOT NULL,
    session_id    uuid NOT NULL,
    name          text NOT NULL, -- the name of the uploaded file
    media_type    text NOT NULL CHECK (media_type IN ('application/pdf', 'image/jpeg', 'image/png')),
    bytes         integer NOT NULL,
    digest        text NOT NULL CHECK (digest ~ '^[0-9a-f]{64}$'), -- SHA-256 of the file
    uploaded_by   uuid NOT NULL,
    created_at    timestamptz(3) NOT NULL,
    removed_at    timestamptz(3),
    remove_reason text CHECK (length(remove_reason) BETWEEN 1 AND 1000),
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, session_id) REFERENCES class_sessions (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, uploaded_by) REFERENCES users (tenant_id, id),
    CHECK ((removed_at IS NULL) = (remove_reason IS NULL))
);
CREATE INDEX ON attendance_scans (tenant_id, session_id, created_at, id);
CREATE INDEX ON attendance_scans (tenant_id, uploaded_by);
CALL guard_tenant_table('attendance_scans', 'SELECT, INSERT, UPDATE, DELETE');
