-- Serving processes log in as users of their own, made by `trilha migrate` after this file. What the server
-- keeps of their passwords is kept here too, so that they can be made again on another server; it tells
-- nobody the passwords. For the owner alone.
CREATE TABLE database_logins (
    role     text PRIMARY KEY, -- what the login may do: trilha_app or trilha_unscoped
    verifier text NOT NULL -- SCRAM-SHA-256, as PostgreSQL stores it (RFC 5803)
);

-- A serving process without the owner's credentials sees whether the schema is up to date.
GRANT SELECT ON schema_migrations TO trilha_unscoped;

-- What PostgreSQL lets every user make: temporary tables, which would be found before the real ones by all
-- later statements of a connection; large objects; and in databases older than PostgreSQL 15, tables.
DO $$
BEGIN
    EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
    EXECUTE format('REVOKE CREATE ON SCHEMA %I FROM PUBLIC', current_schema());
    IF (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
        REVOKE EXECUTE ON FUNCTION lo_creat(integer), lo_create(oid), lo_from_bytea(oid, bytea) FROM PUBLIC;
    END IF;
END
$$;
