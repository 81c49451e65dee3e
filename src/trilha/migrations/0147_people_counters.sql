-- How many people a company has, by role and status, so that no list counts them all. As with the counters of
-- courses, rows are only inserted, and the worker merges them. A trigger, so that no way to write a person leaves
-- the counters behind.
CREATE TABLE people_counters (
    tenant_id uuid NOT NULL,
    id        uuid NOT NULL DEFAULT uuidv7(),
    role      text NOT NULL,
    status    text NOT NULL,
    people    bigint NOT NULL DEFAULT 0,
    merged    boolean NOT NULL DEFAULT false, -- whether the worker made it
    PRIMARY KEY (tenant_id, role, status, id)
);
INSERT INTO people_counters (tenant_id, role, status, people)
SELECT tenant_id, role, status, count(*) FROM users GROUP BY 1, 2, 3;
CREATE INDEX people_counters_to_merge ON people_counters (tenant_id) WHERE NOT merged;
CALL guard_tenant_table('people_counters', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY unscoped ON people_counters FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id, merged) ON people_counters TO trilha_unscoped;

CREATE FUNCTION count_new_people() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO people_counters (tenant_id, role, status, people)
    SELECT tenant_id, role, status, count(*) FROM added GROUP BY 1, 2, 3;
    RETURN NULL;
END
$$;
CREATE TRIGGER count_new_people AFTER INSERT ON users
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_new_people();

CREATE FUNCTION count_changed_person() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO people_counters (tenant_id, role, status, people)
    VALUES (OLD.tenant_id, OLD.role, OLD.status, -1), (NEW.tenant_id, NEW.role, NEW.status, 1);
    RETURN NULL;
END
$$;
CREATE TRIGGER count_changed_person AFTER UPDATE ON users FOR EACH ROW
    WHEN (OLD.role IS DISTINCT FROM NEW.role OR OLD.status IS DISTINCT FROM NEW.status)
    EXECUTE FUNCTION count_changed_person();
