-- People who came without a password are invited, and imports are looked at before they are started.

GRANT SELECT (invitation_due) ON users TO trilha_unscoped;

ALTER TABLE imports DROP CONSTRAINT imports_state_check;
ALTER TABLE imports
    ADD CHECK (state IN ('DRAFT', 'CHECKED', 'WAITING', 'RUNNING', 'DONE', 'FAILED')),
    -- Came by a page: after the dry run it is CHECKED, and its file stays until somebody starts it.
    ADD COLUMN keeps_file boolean NOT NULL DEFAULT false,
    -- The worker has something to do with the file: to take its rows, or to remove it.
    ALTER COLUMN has_file SET EXPRESSION AS (path IS NOT NULL AND state NOT IN ('DRAFT', 'CHECKED'));
CREATE INDEX imports_open ON imports (created_at, tenant_id) WHERE state IN ('DRAFT', 'CHECKED');
GRANT SELECT (state) ON imports TO trilha_unscoped;
