-- By which units and groups are ordered, on every page that offers them: search_text is too dear to be called for
-- each of them.
ALTER TABLE business_units
    ADD COLUMN name_key text COLLATE "C" NOT NULL GENERATED ALWAYS AS (search_text(name)) STORED;
ALTER TABLE learning_groups
    ADD COLUMN name_key text COLLATE "C" NOT NULL GENERATED ALWAYS AS (search_text(name)) STORED;
CREATE INDEX ON learning_groups (tenant_id, name_key, id);
