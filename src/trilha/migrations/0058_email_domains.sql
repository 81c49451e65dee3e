-- E-mail domains that a tenant says are its own. What it signs people in with acts only for those that it has
-- shown to be.
CREATE TABLE email_domains (
    tenant_id     uuid NOT NULL REFERENCES tenants (id),
    id            uuid NOT NULL DEFAULT gen_random_uuid(),
    domain        text COLLATE "C" NOT NULL CHECK (length(domain) BETWEEN 3 AND 253), -- in IDNA form, in small letters
    token         text NOT NULL, -- what the TXT record has to say; public once it does
    verified_at   timestamptz(3), -- null: not shown to be the tenant's, or not any more
    verified_by   text CHECK (verified_by IN ('dns', 'operator')), -- the operator's word is not looked up again
    checked_at    timestamptz(3), -- when name servers were last asked
    finding       text CHECK (finding IN ('found', 'no_record', 'other_record', 'no_answer', 'taken')), -- what came of it
    check_due_at  timestamptz(3), -- when the record of a verified domain is looked for again
    missing_since timestamptz(3), -- since when name servers say that it is not there
    alerted_at    timestamptz(3), -- when administrators were written to about that
    created_at    timestamptz(3) NOT NULL,
    updated_at    timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, domain),
    CHECK ((verified_at IS NULL) = (verified_by IS NULL)),
    CHECK (check_due_at IS NULL OR verified_by = 'dns'),
    CHECK (alerted_at IS NULL OR missing_since IS NOT NULL)
);
CREATE INDEX email_domains_to_check ON email_domains (check_due_at) WHERE check_due_at IS NOT NULL;
CALL guard_tenant_table('email_domains', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY unscoped ON email_domains FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id, check_due_at) ON email_domains TO trilha_unscoped;

-- Whose each verified domain is: one tenant's, of all tenants. It is no table of a tenant, whose keys begin with
-- the tenant; each writes its own rows alone.
CREATE TABLE domain_owners (
    domain text COLLATE "C" PRIMARY KEY,
    owner  uuid NOT NULL -- a tenant
);
CREATE INDEX ON domain_owners (owner);
ALTER TABLE domain_owners ENABLE ROW LEVEL SECURITY;
ALTER TABLE domain_owners FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON domain_owners TO trilha_app
    USING (owner = current_setting('trilha.tenant')::uuid)
    WITH CHECK (owner = current_setting('trilha.tenant')::uuid);
GRANT SELECT, INSERT, DELETE ON domain_owners TO trilha_app;
CREATE POLICY unscoped ON domain_owners FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT ON domain_owners TO trilha_unscoped;
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN
        PERFORM create_reference_table('domain_owners');
    END IF;
END
$$;
