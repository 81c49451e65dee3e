-- What tells whether the master keys at hand are those of this database: a known text, sealed with each of
-- them. Secret is nothing of it. Numbered as the keys came; the first also keys hashes and passwords.
CREATE TABLE master_keys (
    number integer PRIMARY KEY,
    sealed bytea NOT NULL UNIQUE
);
GRANT SELECT ON master_keys TO trilha_unscoped;

-- The last of each error that workers met, for `trilha status`. No row holds what a caller or a person sent.
CREATE TABLE last_errors (
    message text PRIMARY KEY, -- what was being done, in the log's words
    at      timestamptz(3) NOT NULL,
    process text NOT NULL, -- process id and machine
    detail  jsonb NOT NULL, -- as in the log
    count   bigint NOT NULL -- how often, since the table was made
);
GRANT SELECT, INSERT, UPDATE ON last_errors TO trilha_unscoped;
