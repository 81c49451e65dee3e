-- Who creates a role without being a superuser is given the right to grant it, and not to take it.
-- Taken without being inherited: the owner's own statements stay outside the tenants' policies.
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['trilha_app', 'trilha_door'] LOOP
        IF NOT pg_has_role(current_user, name, 'SET') THEN
            EXECUTE format('GRANT %I TO %I WITH INHERIT FALSE, SET TRUE', name, current_user);
        END IF;
    END LOOP;
END
$$;
