-- An invitation and a link that somebody asked for both work until they are over: anybody can ask for a link in
-- another person's name, which must not end the invitation of that person.
ALTER TABLE password_resets ADD COLUMN purpose text NOT NULL DEFAULT 'reset'
    CHECK (purpose IN ('reset', 'invitation'));
UPDATE password_resets SET purpose = 'invitation' WHERE expires_at > created_at + interval '1 day';
ALTER TABLE password_resets ALTER COLUMN purpose DROP DEFAULT;
ALTER TABLE password_resets DROP CONSTRAINT password_resets_pkey;
ALTER TABLE password_resets ADD PRIMARY KEY (tenant_id, user_id, purpose);
