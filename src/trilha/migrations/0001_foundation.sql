-- Two roles serve, neither owns anything nor passes by row-level security.
-- trilha_app works inside one tenant; trilha_door asks the few questions that come before a tenant.
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['trilha_app', 'trilha_door'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) THEN
            BEGIN
                EXECUTE format('CREATE ROLE %I NOLOGIN NOSUPERUSER NOBYPASSRLS', name);
            EXCEPTION WHEN duplicate_object OR unique_violation THEN
                NULL; -- another database of this server made it at the same moment
            END;
        END IF;
        -- An owner that is no superuser may grant the role it made but not take it. Taken without being
        -- inherited, so that the owner's own statements stay outside the tenants' policies.
        IF NOT pg_has_role(current_user, name, 'SET') THEN
            EXECUTE format('GRANT %I TO %I WITH INHERIT FALSE, SET TRUE', name, current_user);
        END IF;
        EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', current_schema(), name);
    END LOOP;
END
$$;

-- The tenant of the running transaction. Raises where none is set: no tenant is an error, not no rows.
CREATE FUNCTION current_tenant() RETURNS uuid
LANGUAGE sql STABLE PARALLEL SAFE
RETURN current_setting('trilha.tenant')::uuid;

-- Puts the locks on a table whose first key column is tenant_id: row-level security that binds the owner
-- too, what trilha_app may do with it, and its place on the shards where Citus is present.
CREATE PROCEDURE guard_tenant_table(name regclass, rights text)
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant ON %s TO trilha_app
        USING (tenant_id = current_setting(''trilha.tenant'')::uuid)
        WITH CHECK (tenant_id = current_setting(''trilha.tenant'')::uuid)', name);
    EXECUTE format('GRANT %s ON %s TO trilha_app', rights, name);
    IF EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN
        EXECUTE format('SELECT create_distributed_table(%L, ''tenant_id'')', name);
    END IF;
END
$$;

-- A customer's space. Made and changed by the operator alone.
CREATE TABLE tenants (
    id          uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    slug        text NOT NULL UNIQUE CHECK (slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
    name        text NOT NULL CHECK (length(name) BETWEEN 1 AND 120),
    environment text NOT NULL DEFAULT 'production' CHECK (environment IN ('production', 'homologation')),
    locale      text NOT NULL DEFAULT 'pt-BR' CHECK (locale IN ('pt-BR', 'en')),
    status      text NOT NULL DEFAULT 'ACTIVE' CHECK (status IN ('ACTIVE', 'SUSPENDED')),
    created_at  timestamptz(3) NOT NULL
);
GRANT SELECT ON tenants TO trilha_door;

-- How many requests a bucket has used of one window. Unlogged: after a crash the counting starts anew,
-- which costs nobody anything, and a request waits for no disk.
CREATE UNLOGGED TABLE limit_windows (
    bucket  text NOT NULL,
    number  bigint NOT NULL, -- seconds since 1970 divided by the window's length
    hits    integer NOT NULL,
    ends_at timestamptz(3) NOT NULL,
    PRIMARY KEY (bucket, number)
) WITH (fillfactor = 50); -- room for the counter to change in place
CREATE INDEX ON limit_windows (ends_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON limit_windows TO trilha_door;
