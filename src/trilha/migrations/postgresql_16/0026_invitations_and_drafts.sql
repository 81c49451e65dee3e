-- PostgreSQL 16 cannot change the expression of a generated column: it is made anew, with its index and right.

GRANT SELECT (invitation_due) ON users TO trilha_unscoped;

ALTER TABLE imports DROP CONSTRAINT imports_state_check;
ALTER TABLE imports DROP COLUMN has_file;
ALTER TABLE imports
    ADD CHECK (state IN ('DRAFT', 'CHECKED', 'WAITING', 'RUNNING', 'DONE', 'FAILED')),
    ADD COLUMN keeps_file boolean NOT NULL DEFAULT false,
    ADD COLUMN has_file boolean NOT NULL
        GENERATED ALWAYS AS (path IS NOT NULL AND state NOT IN ('DRAFT', 'CHECKED')) STORED;
CREATE INDEX imports_due ON imports (created_at, tenant_id) WHERE has_file;
CREATE INDEX imports_open ON imports (created_at, tenant_id) WHERE state IN ('DRAFT', 'CHECKED');
GRANT SELECT (has_file, state) ON imports TO trilha_unscoped;
