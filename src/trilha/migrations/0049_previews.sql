-- Previews: whoever makes a course opens a module of it as learners do. Nothing of what is done there is kept;
-- the row is what its token opens, one of each person and module.
CREATE TABLE previews (
    tenant_id   uuid NOT NULL,
    id          uuid NOT NULL DEFAULT gen_random_uuid(),
    user_id     uuid NOT NULL,
    module_id   uuid NOT NULL,
    fingerprint bytea NOT NULL, -- of the token
    started_at  timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, user_id, module_id),
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, module_id) REFERENCES all_modules (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX ON previews (fingerprint);
CALL guard_tenant_table('previews', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY unscoped ON previews FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id, id, user_id, fingerprint, started_at) ON previews TO trilha_unscoped;
