-- One rule for what rotates: each replaced secret works until its own end, at most five at a time. The
-- secrets of one owner are numbered as they are issued, so that the oldest can be told; the current one
-- has the highest number and no end.
--
-- The owner of the tables is bound by row-level security too and has no policy: it is lifted while rows are
-- carried over, in this transaction alone.
CREATE TABLE webhook_secrets (
    tenant_id   uuid NOT NULL,
    endpoint_id uuid NOT NULL,
    number      integer NOT NULL,
    secret      bytea NOT NULL, -- sealed outside the database
    expires_at  timestamptz(3), -- set when a newer secret has taken its place
    PRIMARY KEY (tenant_id, endpoint_id, number),
    FOREIGN KEY (tenant_id, endpoint_id) REFERENCES webhook_endpoints (tenant_id, id) ON DELETE CASCADE
);
CALL guard_tenant_table('webhook_secrets', 'SELECT, INSERT, UPDATE, DELETE');

ALTER TABLE webhook_endpoints NO FORCE ROW LEVEL SECURITY;
ALTER TABLE webhook_secrets NO FORCE ROW LEVEL SECURITY;
INSERT INTO webhook_secrets (tenant_id, endpoint_id, number, secret, expires_at)
SELECT tenant_id, id, 1, previous_secret, previous_expires_at
FROM webhook_endpoints WHERE previous_secret IS NOT NULL;
INSERT INTO webhook_secrets (tenant_id, endpoint_id, number, secret)
SELECT tenant_id, id, CASE WHEN previous_secret IS NULL THEN 1 ELSE 2 END, secret FROM webhook_endpoints;
ALTER TABLE webhook_secrets FORCE ROW LEVEL SECURITY;
ALTER TABLE webhook_endpoints FORCE ROW LEVEL SECURITY;
ALTER TABLE webhook_endpoints
    DROP COLUMN secret, DROP COLUMN previous_secret, DROP COLUMN previous_expires_at;

-- Until now the order of issue was kept nowhere; that of their ends comes closest.
ALTER TABLE api_key_secrets ADD COLUMN number integer;
ALTER TABLE api_key_secrets NO FORCE ROW LEVEL SECURITY;
UPDATE api_key_secrets AS secret SET number = counted.number
FROM (SELECT tenant_id, fingerprint,
             row_number() OVER (PARTITION BY tenant_id, api_key_id ORDER BY expires_at NULLS LAST) AS number
      FROM api_key_secrets) AS counted
WHERE secret.tenant_id = counted.tenant_id AND secret.fingerprint = counted.fingerprint;
ALTER TABLE api_key_secrets FORCE ROW LEVEL SECURITY;
ALTER TABLE api_key_secrets ALTER COLUMN number SET NOT NULL;
CREATE UNIQUE INDEX ON api_key_secrets (tenant_id, api_key_id, number);
DROP INDEX api_key_secrets_tenant_id_api_key_id_idx;

ALTER TABLE oauth_client_secrets ADD COLUMN number integer;
ALTER TABLE oauth_client_secrets NO FORCE ROW LEVEL SECURITY;
UPDATE oauth_client_secrets AS secret SET number = counted.number
FROM (SELECT tenant_id, fingerprint,
             row_number() OVER (PARTITION BY tenant_id, client_id ORDER BY expires_at NULLS LAST) AS number
      FROM oauth_client_secrets) AS counted
WHERE secret.tenant_id = counted.tenant_id AND secret.fingerprint = counted.fingerprint;
ALTER TABLE oauth_client_secrets FORCE ROW LEVEL SECURITY;
ALTER TABLE oauth_client_secrets ALTER COLUMN number SET NOT NULL;
CREATE UNIQUE INDEX ON oauth_client_secrets (tenant_id, client_id, number);
DROP INDEX oauth_client_secrets_tenant_id_client_id_idx;
