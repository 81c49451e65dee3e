-- What each tenant uses in a month (UTC): calls of the API and e-mails. As with other counters, rows are only
-- inserted, and the worker merges them.
CREATE TABLE usage_counters (
    tenant_id uuid NOT NULL,
    id        uuid NOT NULL DEFAULT uuidv7(),
    month     date NOT NULL, -- its first day
    api_calls bigint NOT NULL DEFAULT 0,
    mails     bigint NOT NULL DEFAULT 0,
    merged    boolean NOT NULL DEFAULT false, -- whether the worker made it
    PRIMARY KEY (tenant_id, month, id)
);
CREATE INDEX usage_counters_to_merge ON usage_counters (tenant_id) WHERE NOT merged;
CALL guard_tenant_table('usage_counters', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY unscoped ON usage_counters FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id, merged) ON usage_counters TO trilha_unscoped;

-- What the worker measured last in each month: people, and files in the file store. Past months stay.
CREATE TABLE usage_months (
    tenant_id     uuid NOT NULL,
    month         date NOT NULL,
    people        bigint NOT NULL,
    active_people bigint NOT NULL,
    files         bigint NOT NULL,
    storage_bytes bigint NOT NULL,
    measured_at   timestamptz(3) NOT NULL, -- before the files were listed
    PRIMARY KEY (tenant_id, month)
);
CALL guard_tenant_table('usage_months', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY unscoped ON usage_months FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id, month, people, active_people, storage_bytes, measured_at)
    ON usage_months TO trilha_unscoped;

-- What a tenant may use; NULL is no limit. Only the operator changes it.
CREATE TABLE tenant_quotas (
    tenant_id               uuid PRIMARY KEY REFERENCES tenants,
    max_people              bigint CHECK (max_people >= 0), -- active ones
    max_storage_bytes       bigint CHECK (max_storage_bytes >= 0),
    max_api_calls_per_month bigint CHECK (max_api_calls_per_month >= 0),
    max_mails_per_month     bigint CHECK (max_mails_per_month >= 0),
    updated_at              timestamptz(3) NOT NULL
);
CALL guard_tenant_table('tenant_quotas', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY unscoped ON tenant_quotas FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT ON tenant_quotas TO trilha_unscoped;
