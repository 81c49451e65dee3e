-- Links with which a portal of the company opens a module for a learner: once, within minutes. A row stays as long as
-- the session that its link has become, which leads back to return_url.
CREATE TABLE launch_links (
    tenant_id     uuid NOT NULL,
    fingerprint   bytea NOT NULL, -- HMAC-SHA-256 of the token
    user_id       uuid NOT NULL,
    epoch         integer NOT NULL, -- the person's session_epoch when it was created
    enrollment_id uuid NOT NULL,
    module_id     uuid NOT NULL,
    return_url    text CHECK (length(return_url) <= 2000),
    session_id    uuid, -- the session that it has become, or that it has joined
    begins        boolean NOT NULL DEFAULT false, -- whether the session began with it
    created_at    timestamptz(3) NOT NULL,
    expires_at    timestamptz(3) NOT NULL,
    used_at       timestamptz(3),
    delete_at     timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, fingerprint),
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, enrollment_id) REFERENCES all_enrollments (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, module_id) REFERENCES all_modules (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX ON launch_links (fingerprint);
CREATE INDEX ON launch_links (delete_at);
CREATE INDEX ON launch_links (tenant_id, user_id);
CREATE INDEX ON launch_links (tenant_id, enrollment_id);
CREATE INDEX ON launch_links (tenant_id, module_id);
CREATE INDEX ON launch_links (tenant_id, session_id) WHERE session_id IS NOT NULL;
CALL guard_tenant_table('launch_links', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY unscoped ON launch_links FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id, fingerprint, delete_at) ON launch_links TO trilha_unscoped;

-- A session that began with a link proves nothing about who sits there, so that it may not change how the person
-- signs in, nor read everything about them.
ALTER TABLE sessions ADD COLUMN by_link boolean NOT NULL DEFAULT false;
GRANT SELECT (by_link) ON sessions TO trilha_unscoped;
