-- An e-mail on its way to one person. Whoever sends it has counted the attempt and put the next one beyond the
-- end of its lease: what a sender that died leaves behind is due again after that, and a result is written only
-- where `attempts` is still the sender's own.
CREATE TABLE mail_messages (
    tenant_id       uuid NOT NULL REFERENCES tenants (id),
    id              uuid NOT NULL, -- the left side of the Message-ID
    kind            text NOT NULL, -- password_reset
    locale          text NOT NULL CHECK (locale IN ('pt-BR', 'en')),
    to_email        text NOT NULL CHECK (length(to_email) <= 254),
    subject         text NOT NULL, -- holds no secret
    content         bytea, -- what the text is made of, sealed; gone once it is sent or given up
    status          text NOT NULL DEFAULT 'PENDING' CHECK (status IN ('PENDING', 'SENT', 'FAILED')),
    attempts        integer NOT NULL DEFAULT 0,
    next_attempt_at timestamptz(3),
    error           text, -- of the last attempt that failed
    reply           text, -- the mail server's, where that refused
    sent_at         timestamptz(3),
    created_at      timestamptz(3) NOT NULL,
    updated_at      timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id),
    CHECK ((status = 'PENDING') = (content IS NOT NULL)),
    CHECK ((status = 'PENDING') = (next_attempt_at IS NOT NULL)),
    CHECK ((status = 'SENT') = (sent_at IS NOT NULL))
);
CREATE INDEX mail_messages_due ON mail_messages (tenant_id, next_attempt_at, id) WHERE status = 'PENDING';
CREATE INDEX ON mail_messages (tenant_id, created_at, id);
CALL guard_tenant_table('mail_messages', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY unscoped ON mail_messages FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id, status, next_attempt_at, created_at) ON mail_messages TO trilha_unscoped;
