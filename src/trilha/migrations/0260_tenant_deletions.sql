-- The deletions of tenants. A row stays after everything of its tenant is gone, as the proof; it has no personal data.
-- It belongs to no tenant, so the column has another name than tenant_id.
CREATE TABLE tenant_deletions (
    id               uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    deleted_tenant   uuid NOT NULL UNIQUE,
    slug             text NOT NULL,
    environment      text NOT NULL,
    actor            text NOT NULL, -- the login that began the deletion, on the machine of source
    source           text NOT NULL,
    started_at       timestamptz(3) NOT NULL,
    -- What was there when the deletion began; null until it was counted.
    counted_at       timestamptz(3),
    row_counts       jsonb,
    files            bigint,
    file_bytes       bigint,
    evidence_logs    bigint,
    evidence_entries bigint,
    evidence_hash    bytea, -- over the last hash of every log
    -- The proof; null until nothing is left. `hash` covers the row and the hash of the proof before.
    finished_at      timestamptz(3),
    number           bigint UNIQUE,
    previous         bytea,
    hash             bytea,
    CHECK ((finished_at IS NULL) = (hash IS NULL)),
    CHECK (finished_at IS NULL OR counted_at IS NOT NULL)
);

-- Every credential of a tenant that is being deleted is refused, as of one that is suspended.
ALTER TABLE tenants DROP CONSTRAINT tenants_status_check;
ALTER TABLE tenants ADD CONSTRAINT tenants_status_check CHECK (status IN ('ACTIVE', 'SUSPENDED', 'DELETING')) NOT VALID;

-- The owner deletes what the serving roles cannot. Row-level security binds the owner, too; a WHERE reads.
CREATE POLICY operator_reads ON audit_records FOR SELECT TO CURRENT_USER
    USING (tenant_id = current_setting('trilha.tenant')::uuid);
CREATE POLICY operator_deletes ON audit_records FOR DELETE TO CURRENT_USER
    USING (tenant_id = current_setting('trilha.tenant')::uuid);
CREATE POLICY operator_reads ON tenant_homes FOR SELECT TO CURRENT_USER
    USING (tenant_id = current_setting('trilha.tenant')::uuid);
CREATE POLICY operator_deletes ON tenant_homes FOR DELETE TO CURRENT_USER
    USING (tenant_id = current_setting('trilha.tenant')::uuid);
