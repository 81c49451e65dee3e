-- Triggers for each row instead of each statement: on a cluster, a trigger runs on the worker that has the row, where
-- a statement's new rows cannot be read.
DROP TRIGGER count_new_people ON users;
CREATE OR REPLACE FUNCTION count_new_people() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO people_counters (tenant_id, role, status, people) VALUES (NEW.tenant_id, NEW.role, NEW.status, 1);
    RETURN NULL;
END
$$;
CREATE TRIGGER count_new_people AFTER INSERT ON users FOR EACH ROW EXECUTE FUNCTION count_new_people();

DROP TRIGGER note_new_members ON learning_group_members;
CREATE OR REPLACE FUNCTION note_new_members() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO learning_path_changes (tenant_id, path_id, user_id, joins, created_at)
    SELECT NEW.tenant_id, audience.path_id, NEW.user_id, true, NEW.added_at
    FROM learning_path_audiences AS audience
    WHERE audience.tenant_id = NEW.tenant_id AND audience.group_id = NEW.group_id;
    RETURN NULL;
END
$$;
CREATE TRIGGER note_new_members AFTER INSERT ON learning_group_members FOR EACH ROW
    EXECUTE FUNCTION note_new_members();

-- In plpgsql, because a cluster cannot plan the body of an SQL function with the caller's values in it.
CREATE OR REPLACE FUNCTION paths_of_unit(tenant uuid, unit uuid) RETURNS SETOF uuid LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN QUERY
    WITH RECURSIVE above AS (
        SELECT u.id, u.parent_id FROM business_units AS u WHERE u.tenant_id = tenant AND u.id = unit
        UNION
        SELECT higher.id, higher.parent_id FROM business_units AS higher
        JOIN above ON higher.id = above.parent_id WHERE higher.tenant_id = tenant)
    SELECT DISTINCT audience.path_id FROM learning_path_audiences AS audience
    JOIN above ON above.id = audience.business_unit_id WHERE audience.tenant_id = tenant;
END
$$;
