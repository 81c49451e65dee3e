-- How people are grouped, found and brought in: business units, learning groups, search, and imports.

-- The parts of a company, as a tree. Managers see the people of their units and of all below.
CREATE TABLE business_units (
    tenant_id  uuid NOT NULL REFERENCES tenants (id),
    id         uuid NOT NULL DEFAULT gen_random_uuid(),
    parent_id  uuid, -- null at the top; never the unit itself nor one below it
    name       text NOT NULL CHECK (length(name) BETWEEN 1 AND 120),
    code       text CHECK (length(code) BETWEEN 1 AND 60), -- the company's own name for it
    created_at timestamptz(3) NOT NULL,
    updated_at timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, code),
    FOREIGN KEY (tenant_id, parent_id) REFERENCES business_units (tenant_id, id),
    CHECK (parent_id <> id)
);
CREATE INDEX ON business_units (tenant_id, parent_id);
CALL guard_tenant_table('business_units', 'SELECT, INSERT, UPDATE, DELETE');

CREATE TABLE business_unit_managers (
    tenant_id        uuid NOT NULL,
    business_unit_id uuid NOT NULL,
    user_id          uuid NOT NULL, -- has the role gestor; a change of role removes the row
    PRIMARY KEY (tenant_id, business_unit_id, user_id),
    FOREIGN KEY (tenant_id, business_unit_id) REFERENCES business_units (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX ON business_unit_managers (tenant_id, user_id);
CALL guard_tenant_table('business_unit_managers', 'SELECT, INSERT, UPDATE, DELETE');

-- Until now a user's unit was any id. Each that is in use becomes a unit, which a person can give its name.
-- The owner is bound by row-level security too and has no policy: it is lifted while rows are carried over.
ALTER TABLE users NO FORCE ROW LEVEL SECURITY;
ALTER TABLE business_units NO FORCE ROW LEVEL SECURITY;
INSERT INTO business_units (tenant_id, id, name, created_at, updated_at)
SELECT tenant_id, business_unit_id, business_unit_id::text, min(created_at), min(created_at)
FROM users WHERE business_unit_id IS NOT NULL GROUP BY tenant_id, business_unit_id;
ALTER TABLE users ADD FOREIGN KEY (tenant_id, business_unit_id) REFERENCES business_units (tenant_id, id);
ALTER TABLE business_units FORCE ROW LEVEL SECURITY;
CREATE INDEX ON users (tenant_id, business_unit_id, created_at, id);

-- People who learn together, wherever they work.
CREATE TABLE learning_groups (
    tenant_id   uuid NOT NULL REFERENCES tenants (id),
    id          uuid NOT NULL DEFAULT gen_random_uuid(),
    name        text NOT NULL CHECK (length(name) BETWEEN 1 AND 120),
    description text,
    created_at  timestamptz(3) NOT NULL,
    updated_at  timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, name)
);
CALL guard_tenant_table('learning_groups', 'SELECT, INSERT, UPDATE, DELETE');

CREATE TABLE learning_group_members (
    tenant_id uuid NOT NULL,
    group_id  uuid NOT NULL,
    user_id   uuid NOT NULL,
    added_at  timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, group_id, user_id),
    FOREIGN KEY (tenant_id, group_id) REFERENCES learning_groups (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX ON learning_group_members (tenant_id, user_id);
CALL guard_tenant_table('learning_group_members', 'SELECT, INSERT, UPDATE, DELETE');

-- Who teaches a course, and so sees its learners.
CREATE TABLE course_teachers (
    tenant_id uuid NOT NULL,
    course_id uuid NOT NULL,
    user_id   uuid NOT NULL,
    PRIMARY KEY (tenant_id, course_id, user_id),
    FOREIGN KEY (tenant_id, course_id) REFERENCES courses (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX ON course_teachers (tenant_id, user_id);
CALL guard_tenant_table('course_teachers', 'SELECT, INSERT, UPDATE, DELETE');

-- Text as it is searched: lower case, without accents. trilha.people.users.search does the same to what is typed.
CREATE FUNCTION search_text(given text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
RETURN regexp_replace(normalize(lower(normalize(given, NFKD)), NFKD), U&'[\0300-\036f]', '', 'g');

ALTER TABLE users
    -- By which people are ordered. The collation is that of the codes, as search is by ranges of them.
    ADD COLUMN name_key text COLLATE "C" NOT NULL GENERATED ALWAYS AS (search_text(name)) STORED,
    -- Equal for equal CPFs of a tenant, and nothing without the master key.
    ADD COLUMN cpf_fingerprint bytea,
    -- Stored before one CPF was one person's, and another has it too.
    ADD COLUMN cpf_shared boolean NOT NULL DEFAULT false,
    -- Stored before there were fingerprints; the worker adds them.
    ADD COLUMN cpf_unmarked boolean NOT NULL GENERATED ALWAYS AS
        (cpf_sealed IS NOT NULL AND cpf_fingerprint IS NULL) STORED,
    -- Came without a password, and is to be sent the way to choose one.
    ADD COLUMN invitation_due boolean NOT NULL DEFAULT false,
    ADD COLUMN last_login_key timestamptz(3) NOT NULL
        GENERATED ALWAYS AS (COALESCE(last_login_at, '1970-01-01 00:00:00+00'::timestamptz)) STORED;
CREATE INDEX ON users (tenant_id, name_key, id);
CREATE INDEX ON users (tenant_id, last_login_key, id);
CREATE INDEX ON users (tenant_id, employee_number) WHERE employee_number IS NOT NULL;
CREATE UNIQUE INDEX users_cpf ON users (tenant_id, cpf_fingerprint) WHERE NOT cpf_shared;
CREATE INDEX users_cpf_shared ON users (tenant_id, cpf_fingerprint) WHERE cpf_shared;
CREATE INDEX users_cpf_unmarked ON users (tenant_id) WHERE cpf_unmarked;
CREATE INDEX users_invitation_due ON users (tenant_id) WHERE invitation_due;
GRANT SELECT (tenant_id, cpf_unmarked) ON users TO trilha_unscoped;

-- What people are found by: the words of a name, the e-mail address, the employee number. A prefix is a
-- range of words, which an index answers below row-level security; LIKE and trigrams it does not.
CREATE TABLE user_words (
    tenant_id uuid NOT NULL,
    word      text COLLATE "C" NOT NULL,
    name_key  text COLLATE "C" NOT NULL, -- the person's, so that many can be ordered from this table alone
    user_id   uuid NOT NULL,
    PRIMARY KEY (tenant_id, word, name_key, user_id),
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX ON user_words (tenant_id, user_id, word);
CALL guard_tenant_table('user_words', 'SELECT, INSERT, UPDATE, DELETE');

CREATE FUNCTION search_words(name text, email text, employee_number text) RETURNS SETOF text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT DISTINCT left(word, 200) FROM (
        SELECT unnest(string_to_array(search_text(name), ' '))
        UNION ALL SELECT unnest(regexp_split_to_array(search_text(name), '[^[:alnum:]]+'))
        UNION ALL SELECT search_text(email)
        UNION ALL SELECT search_text(employee_number)) AS found (word)
    WHERE word <> ''
$$;

-- A trigger, so that no way to write or to erase a name leaves its words behind.
CREATE FUNCTION keep_user_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        DELETE FROM user_words WHERE tenant_id = NEW.tenant_id AND user_id = NEW.id;
    END IF;
    INSERT INTO user_words (tenant_id, word, name_key, user_id)
    SELECT NEW.tenant_id, word, NEW.name_key, NEW.id
    FROM search_words(NEW.name, NEW.email, NEW.employee_number) AS word;
    RETURN NULL;
END
$$;
CREATE TRIGGER keep_words_of_new AFTER INSERT ON users FOR EACH ROW EXECUTE FUNCTION keep_user_words();
CREATE TRIGGER keep_words AFTER UPDATE ON users FOR EACH ROW
    WHEN (OLD.name IS DISTINCT FROM NEW.name OR OLD.email IS DISTINCT FROM NEW.email
          OR OLD.employee_number IS DISTINCT FROM NEW.employee_number)
    EXECUTE FUNCTION keep_user_words();

ALTER TABLE user_words NO FORCE ROW LEVEL SECURITY;
INSERT INTO user_words (tenant_id, word, name_key, user_id)
SELECT tenant_id, word, name_key, id FROM users, search_words(name, email, employee_number) AS word;
ALTER TABLE user_words FORCE ROW LEVEL SECURITY;
ALTER TABLE users FORCE ROW LEVEL SECURITY;

-- A file of people on its way in. The worker takes it row by row; the file goes when it is done.
CREATE TABLE imports (
    tenant_id   uuid NOT NULL REFERENCES tenants (id),
    id          uuid NOT NULL DEFAULT gen_random_uuid(),
    file_name   text NOT NULL, -- as the person called it
    path        text, -- where this machine keeps it; null once it is removed
    has_file    boolean NOT NULL GENERATED ALWAYS AS (path IS NOT NULL) STORED,
    dry_run     boolean NOT NULL,
    mapping     jsonb NOT NULL, -- header of the file to member of a person
    dialect     jsonb NOT NULL, -- encoding and separator
    state       text NOT NULL DEFAULT 'WAITING' CHECK (state IN ('WAITING', 'RUNNING', 'DONE', 'FAILED')),
    failure     text, -- why it could not be read, where it FAILED
    rows        integer NOT NULL CHECK (rows >= 0),
    done        integer NOT NULL DEFAULT 0, -- rows that are behind it; what follows counts them
    created     integer NOT NULL DEFAULT 0,
    updated     integer NOT NULL DEFAULT 0,
    unchanged   integer NOT NULL DEFAULT 0,
    refused     integer NOT NULL DEFAULT 0,
    actor_kind  text NOT NULL, -- who asked for it, as in the audit record
    actor       text NOT NULL,
    source      text NOT NULL,
    created_at  timestamptz(3) NOT NULL,
    finished_at timestamptz(3),
    PRIMARY KEY (tenant_id, id),
    CHECK (done = created + updated + unchanged + refused),
    CHECK (done <= rows)
);
CREATE INDEX ON imports (tenant_id, created_at, id);
CREATE INDEX imports_due ON imports (created_at, tenant_id) WHERE has_file;
CREATE INDEX imports_finished ON imports (finished_at, tenant_id) WHERE finished_at IS NOT NULL;
CALL guard_tenant_table('imports', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY unscoped ON imports FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id, created_at, has_file, finished_at) ON imports TO trilha_unscoped;

-- What was wrong with a row.
CREATE TABLE import_problems (
    tenant_id uuid NOT NULL,
    import_id uuid NOT NULL,
    line      integer NOT NULL, -- of the file, the header being the first
    number    smallint NOT NULL, -- within the line
    "column"  text NOT NULL, -- as the file calls it; empty where it is about the whole line
    code      text NOT NULL,
    message   text NOT NULL,
    value     text NOT NULL, -- masked where it is a document or looks like one
    PRIMARY KEY (tenant_id, import_id, line, number),
    FOREIGN KEY (tenant_id, import_id) REFERENCES imports (tenant_id, id) ON DELETE CASCADE
);
CALL guard_tenant_table('import_problems', 'SELECT, INSERT, UPDATE, DELETE');
