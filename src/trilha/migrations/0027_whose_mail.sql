-- A mailed link belongs to the address it went to, and a message to the person it was written to.

ALTER TABLE password_resets ADD COLUMN email text; -- works while it is still the person's
UPDATE password_resets r SET email = u.email FROM users u WHERE u.tenant_id = r.tenant_id AND u.id = r.user_id;
ALTER TABLE password_resets ALTER COLUMN email SET NOT NULL;
GRANT SELECT (email) ON password_resets TO trilha_unscoped;

-- Whom it was written to, whatever their address is by now; null of what was written before this.
ALTER TABLE mail_messages ADD COLUMN user_id uuid;
