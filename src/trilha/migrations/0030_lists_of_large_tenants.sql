-- What lists of large tenants are read from: each index gives what a page shows, in its order, and no more.

-- The audit record, newest first, of one action, one actor and one address. There are few actions: a page of
-- all that somebody did is put together from the newest of each.
CREATE INDEX ON audit_records (tenant_id, action, created_at, id);
CREATE INDEX audit_records_by_actor ON audit_records (tenant_id, actor, action, created_at, id);
DROP INDEX audit_records_tenant_id_actor_created_at_id_idx;
CREATE INDEX audit_records_by_source ON audit_records (tenant_id, source, action, created_at, id);
-- Few things have a name on record; people have none.
CREATE INDEX audit_records_named ON audit_records (tenant_id, created_at, id) WHERE target_name <> '';

-- By which courses are ordered and searched; search_text is too dear to be called for each of them.
ALTER TABLE courses
    ADD COLUMN title_key text COLLATE "C" NOT NULL GENERATED ALWAYS AS (search_text(title)) STORED;
CREATE INDEX ON courses (tenant_id, title_key, id);
