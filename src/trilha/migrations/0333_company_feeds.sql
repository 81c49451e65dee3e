-- The secret address at which an administrator's calendar program reads all sessions of the company. It works as long
-- as they are an administrator.
CREATE TABLE company_feeds (
    tenant_id  uuid NOT NULL,
    user_id    uuid NOT NULL,
    digest     bytea NOT NULL, -- SHA-256 of the token in the address, which has 256 random bits
    created_at timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, user_id),
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX ON company_feeds (digest);
CALL guard_tenant_table('company_feeds', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY unscoped ON company_feeds FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id, user_id, digest) ON company_feeds TO trilha_unscoped;
