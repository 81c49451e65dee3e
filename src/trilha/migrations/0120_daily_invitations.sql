-- An integration chooses whom its invitations go to, so a tenant has a limit of them a day.

ALTER TABLE users
    -- The invitation was asked for by an integration, and counts against the daily limit.
    ADD COLUMN invitation_limited boolean NOT NULL DEFAULT false,
    -- Null: the address is the one the account was created with.
    ADD COLUMN email_changed_at timestamptz(3);
CREATE INDEX users_invitations_in_order ON users (tenant_id, invitation_limited, created_at, id)
    WHERE invitation_due;
DROP INDEX users_invitation_due;

ALTER TABLE tenant_settings
    ADD COLUMN invitation_limit integer CHECK (invitation_limit BETWEEN 1 AND 1000000); -- null: the server's

-- What integrations had sent today. `day` is a day in the tenant's time zone.
CREATE TABLE mail_counters (
    tenant_id   uuid PRIMARY KEY REFERENCES tenants,
    day         date NOT NULL,
    invitations integer NOT NULL DEFAULT 0,
    notices     integer NOT NULL DEFAULT 0
);
CALL guard_tenant_table('mail_counters', 'SELECT, INSERT, UPDATE, DELETE');
