-- What people signed: attendance, assessments, papers. `digest` is the SHA-256 of what was signed.
CREATE TABLE signatures (
    tenant_id  uuid NOT NULL,
    id         uuid NOT NULL DEFAULT gen_random_uuid(),
    user_id    uuid NOT NULL,
    kind       text NOT NULL CHECK (kind IN ('DRAWN', 'PASSKEY')),
    purpose    text NOT NULL CHECK (purpose ~ '^[a-z_]{1,40}$'),
    subject_id uuid NOT NULL, -- what the purpose is about, such as a session
    digest     text NOT NULL CHECK (digest ~ '^[0-9a-f]{64}$'),
    content    bytea, -- the drawing and the evidence, sealed; NULL: erased
    actor_kind text NOT NULL, -- who was signed in, as in the audit record
    actor      text NOT NULL,
    signed_at  timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id)
);
CREATE INDEX ON signatures (tenant_id, user_id, signed_at, id);
CREATE INDEX ON signatures (tenant_id, purpose, subject_id, signed_at, id);
CALL guard_tenant_table('signatures', 'SELECT, INSERT, UPDATE, DELETE');
