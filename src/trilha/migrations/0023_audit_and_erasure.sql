-- Every change of a tenant is on record, not those of credentials alone.
-- Referring to the tenant would lock that one row for every writer in it.
ALTER TABLE audit_records DROP CONSTRAINT audit_records_tenant_id_fkey;
ALTER TABLE audit_records ALTER COLUMN target_id DROP NOT NULL;
COMMENT ON COLUMN audit_records.target_id IS 'null: many things at once, which detail counts';
COMMENT ON COLUMN audit_records.target_name IS 'never of a person: rows stay, and people are erased';
COMMENT ON COLUMN audit_records.actor IS 'an id; of an operator the login on the machine of source';
CREATE INDEX ON audit_records (tenant_id, target_id, created_at, id) WHERE target_id IS NOT NULL;
CREATE INDEX ON audit_records (tenant_id, actor, created_at, id);

-- The same of what belongs to all tenants: signing keys. Rows are added, never changed or removed.
CREATE TABLE global_audit_records (
    id         bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    action     text NOT NULL,
    target     text NOT NULL,
    actor_kind text NOT NULL,
    actor      text NOT NULL,
    source     text NOT NULL,
    created_at timestamptz(3) NOT NULL
);
GRANT SELECT, INSERT ON global_audit_records TO trilha_unscoped;

-- When the person's data were erased; the row stays, so that what was learnt stays counted.
ALTER TABLE users ADD COLUMN erased_at timestamptz(3) CHECK (erased_at IS NULL OR status = 'INACTIVE');
