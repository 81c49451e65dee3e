-- The runs of `trilha backup`, for `trilha status`. What the backups hold is at their destination.
CREATE TABLE backup_runs (
    id           text PRIMARY KEY,
    started_at   timestamptz(3) NOT NULL,
    finished_at  timestamptz(3),
    outcome      text NOT NULL DEFAULT 'RUNNING' CHECK (outcome IN ('RUNNING', 'DONE', 'FAILED')),
    stored_bytes bigint NOT NULL DEFAULT 0,
    error        text, -- the kind of error
    verified_at  timestamptz(3),
    CHECK ((outcome = 'RUNNING') = (finished_at IS NULL))
);
GRANT SELECT ON backup_runs TO trilha_unscoped;
