-- The new e-mail address of an instructor, a manager or an administrator, until it is confirmed from the old address
-- or by an administrator. At most one is pending for each person.
CREATE TABLE email_changes (
    tenant_id   uuid NOT NULL,
    user_id     uuid NOT NULL,
    old_email   text NOT NULL, -- the change ends when the person's address becomes another one
    new_email   text NOT NULL,
    fingerprint bytea NOT NULL, -- of the link that was mailed to the old address
    expires_at  timestamptz(3) NOT NULL, -- of the link and of the change
    created_at  timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, user_id),
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX ON email_changes (fingerprint);
CALL guard_tenant_table('email_changes', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY unscoped ON email_changes FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id, user_id, fingerprint, expires_at) ON email_changes TO trilha_unscoped;

-- Whether an integration or a file gave the person another address that nobody has confirmed since.
ALTER TABLE users ADD COLUMN address_unconfirmed boolean NOT NULL DEFAULT false;
