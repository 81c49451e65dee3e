-- How far the worker has come with sealing the files that were stored unsealed, by the order of their rows. A row is
-- gone when all of its kind are sealed; whatever is stored from now on is sealed.
CREATE TABLE file_sealings (
    tenant_id uuid NOT NULL REFERENCES tenants (id),
    kind      text NOT NULL CHECK (kind IN ('certificates', 'recordings')),
    after_id  uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
    PRIMARY KEY (tenant_id, kind)
);
INSERT INTO file_sealings (tenant_id, kind)
SELECT id, kind FROM tenants CROSS JOIN (VALUES ('certificates'), ('recordings')) AS kinds (kind);
CALL guard_tenant_table('file_sealings', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY unscoped ON file_sealings FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id) ON file_sealings TO trilha_unscoped;
