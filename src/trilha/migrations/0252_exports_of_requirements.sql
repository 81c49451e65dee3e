-- Exports of who stands where with which requirement, also as PDF.
ALTER TABLE exports
    ADD COLUMN name text NOT NULL DEFAULT 'enrollments', -- of the file, without the ending
    DROP CONSTRAINT exports_type_check,
    ADD CONSTRAINT exports_type_check CHECK (type IN ('csv', 'xlsx', 'parquet', 'pdf')) NOT VALID;
