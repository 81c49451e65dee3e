-- The second role is called after what it runs: statements without a tenant. All that trilha_door had in
-- this database becomes trilha_unscoped's. The old role itself stays, with no rights here: another database
-- of this server may still know it.
DO $$
DECLARE
    each record;
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'trilha_unscoped') THEN
        BEGIN
            CREATE ROLE trilha_unscoped NOLOGIN NOSUPERUSER NOBYPASSRLS;
        EXCEPTION WHEN duplicate_object OR unique_violation THEN
            NULL; -- another database of this server made it at the same moment
        END;
    END IF;
    IF NOT pg_has_role(current_user, 'trilha_unscoped', 'SET') THEN
        EXECUTE format('GRANT trilha_unscoped TO %I WITH INHERIT FALSE, SET TRUE', current_user);
    END IF;
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO trilha_unscoped', current_schema());
    EXECUTE format('REVOKE USAGE ON SCHEMA %I FROM trilha_door', current_schema());
    FOR each IN
        SELECT c.relname AS name, a.privilege_type AS privilege, '' AS columns
        FROM pg_class c CROSS JOIN aclexplode(c.relacl) a
        WHERE c.relnamespace = current_schema()::regnamespace AND a.grantee = 'trilha_door'::regrole
        UNION ALL
        SELECT c.relname, a.privilege_type, format(' (%I)', t.attname)
        FROM pg_class c JOIN pg_attribute t ON t.attrelid = c.oid CROSS JOIN aclexplode(t.attacl) a
        WHERE c.relnamespace = current_schema()::regnamespace AND a.grantee = 'trilha_door'::regrole
    LOOP
        EXECUTE format('GRANT %s%s ON %I TO trilha_unscoped',
                       each.privilege, each.columns, each.name);
        EXECUTE format('REVOKE %s%s ON %I FROM trilha_door',
                       each.privilege, each.columns, each.name);
    END LOOP;
    FOR each IN SELECT tablename FROM pg_policies WHERE schemaname = current_schema() AND policyname = 'door' LOOP
        EXECUTE format('ALTER POLICY door ON %I TO trilha_unscoped', each.tablename);
        EXECUTE format('ALTER POLICY door ON %I RENAME TO unscoped', each.tablename);
    END LOOP;
END
$$;

-- The field's word for what is kept of a course's enrollments.
ALTER TABLE course_tallies RENAME TO course_counters;
