-- Exports of everything that an inspector asks for, as a ZIP file.
ALTER TABLE exports
    DROP CONSTRAINT exports_type_check,
    ADD CONSTRAINT exports_type_check CHECK (type IN ('csv', 'xlsx', 'parquet', 'pdf', 'zip')) NOT VALID;
