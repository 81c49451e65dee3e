-- One row for each tenant, which on a cluster lies on the worker that has the tenant's other rows. Searches for the
-- tenants that have work begin here.
CREATE TABLE tenant_homes (
    tenant_id uuid PRIMARY KEY REFERENCES tenants
);
INSERT INTO tenant_homes SELECT id FROM tenants;
CALL guard_tenant_table('tenant_homes', 'SELECT');
CREATE POLICY unscoped ON tenant_homes FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT ON tenant_homes TO trilha_unscoped;

-- The operator creates tenants as the owner, to whom row-level security applies as well. On a cluster, the owner
-- cannot take another role on the workers.
CREATE POLICY operator ON tenant_homes FOR INSERT TO CURRENT_USER
    WITH CHECK (tenant_id = current_setting('trilha.tenant')::uuid);
CREATE POLICY operator ON audit_records FOR INSERT TO CURRENT_USER
    WITH CHECK (tenant_id = current_setting('trilha.tenant')::uuid);

-- A table that a later migration creates is distributed only if the others are.
CREATE OR REPLACE PROCEDURE guard_tenant_table(name regclass, rights text)
LANGUAGE plpgsql AS $$
DECLARE
    is_distributed boolean := false;
BEGIN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant ON %s TO trilha_app
        USING (tenant_id = current_setting(''trilha.tenant'')::uuid)
        WITH CHECK (tenant_id = current_setting(''trilha.tenant'')::uuid)', name);
    EXECUTE format('GRANT %s ON %s TO trilha_app', rights, name);
    IF EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN
        EXECUTE 'SELECT EXISTS (SELECT FROM citus_tables WHERE table_name = ''users''::regclass
                                AND citus_table_type = ''distributed'')' INTO is_distributed;
    END IF;
    IF is_distributed THEN
        EXECUTE format('SELECT create_distributed_table(%L, ''tenant_id'', colocate_with => ''users'')', name);
    END IF;
END
$$;
