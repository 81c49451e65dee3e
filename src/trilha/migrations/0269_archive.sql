-- The files of rows that were deleted at the end of their retention. A row exists if and only if the rows in its
-- file were deleted: both happen in one transaction, after the file was stored.
CREATE TABLE archive_files (
    tenant_id  uuid NOT NULL,
    id         uuid NOT NULL DEFAULT gen_random_uuid(),
    log        text NOT NULL,
    month      text NOT NULL CHECK (month ~ '^[0-9]{4}-[0-9]{2}$'), -- of the rows, in UTC
    rows       integer NOT NULL CHECK (rows >= 1),
    file_key   text NOT NULL,
    created_at timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, file_key)
);
CREATE INDEX ON archive_files (tenant_id, log, month, file_key);
CALL guard_tenant_table('archive_files', 'SELECT, INSERT, UPDATE, DELETE');
