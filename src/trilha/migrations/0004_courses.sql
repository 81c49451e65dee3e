-- What is taught. The regulation, where there is one, says what completing it takes.
CREATE TABLE courses (
    tenant_id                   uuid NOT NULL REFERENCES tenants (id),
    id                          uuid NOT NULL DEFAULT gen_random_uuid(),
    title                       text NOT NULL CHECK (length(title) BETWEEN 1 AND 200),
    description                 text,
    slug                        text NOT NULL,
    status                      text NOT NULL DEFAULT 'DRAFT' CHECK (status IN ('DRAFT', 'PUBLISHED', 'ARCHIVED')),
    difficulty                  text CHECK (difficulty IN ('BEGINNER', 'INTERMEDIATE', 'ADVANCED')),
    duration_hours              double precision NOT NULL DEFAULT 0 CHECK (duration_hours >= 0),
    thumbnail_url               text,
    category_id                 uuid,
    tags                        text[] NOT NULL DEFAULT '{}',
    certificate_validity_months integer CHECK (certificate_validity_months > 0),
    regulation                  jsonb, -- kind, workload, score, sequence, required profile fields
    created_at                  timestamptz(3) NOT NULL,
    updated_at                  timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, slug)
);
CREATE INDEX ON courses (tenant_id, created_at, id);
CREATE INDEX ON courses (tenant_id, updated_at, id);
CALL guard_tenant_table('courses', 'SELECT, INSERT, UPDATE, DELETE');

-- A course's category, named once per tenant.
CREATE TABLE categories (
    tenant_id uuid NOT NULL REFERENCES tenants (id),
    id        uuid NOT NULL DEFAULT gen_random_uuid(),
    name      text NOT NULL CHECK (length(name) BETWEEN 1 AND 120),
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, name)
);
CALL guard_tenant_table('categories', 'SELECT, INSERT, UPDATE, DELETE');
ALTER TABLE courses ADD FOREIGN KEY (tenant_id, category_id) REFERENCES categories (tenant_id, id);
CREATE INDEX ON courses (tenant_id, category_id);

-- The parts of a course, in consumption order.
CREATE TABLE modules (
    tenant_id        uuid NOT NULL,
    id               uuid NOT NULL DEFAULT gen_random_uuid(),
    course_id        uuid NOT NULL,
    position         integer NOT NULL CHECK (position >= 1),
    title            text NOT NULL CHECK (length(title) BETWEEN 1 AND 200),
    type             text NOT NULL CHECK (type IN ('SCORM', 'VIDEO', 'DOCUMENT', 'ARTICLE', 'QUIZ')),
    duration_minutes integer NOT NULL CHECK (duration_minutes >= 0),
    required         boolean NOT NULL DEFAULT true,
    body             text, -- the text of an ARTICLE
    created_at       timestamptz(3) NOT NULL,
    updated_at       timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, course_id, position),
    FOREIGN KEY (tenant_id, course_id) REFERENCES courses (tenant_id, id) ON DELETE CASCADE
);
CALL guard_tenant_table('modules', 'SELECT, INSERT, UPDATE, DELETE');
