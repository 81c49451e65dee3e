-- Confirming by photos that the person who learns is the one who is enrolled. A company turns it on, a course asks for
-- it, and a person agrees to it or has their identity confirmed by hand.
CREATE TABLE identity_settings (
    tenant_id      uuid NOT NULL REFERENCES tenants (id),
    enabled        boolean NOT NULL,
    retention_days integer NOT NULL CHECK (retention_days BETWEEN 1 AND 1825),
    service_url    text CHECK (length(service_url) BETWEEN 1 AND 2000), -- null: the model in the browser
    service_token  bytea, -- sealed
    updated_at     timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id)
);
CALL guard_tenant_table('identity_settings', 'SELECT, INSERT, UPDATE, DELETE');

-- The versions of the text that people agree to. Version 0 is the product's own and has no row.
CREATE TABLE identity_texts (
    tenant_id  uuid NOT NULL REFERENCES tenants (id),
    version    integer NOT NULL CHECK (version > 0),
    text       text NOT NULL CHECK (length(text) BETWEEN 1 AND 5000),
    created_at timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, version)
);
CALL guard_tenant_table('identity_texts', 'SELECT, INSERT, DELETE');

-- What a course asks for.
CREATE TABLE identity_rules (
    tenant_id     uuid NOT NULL,
    course_id     uuid NOT NULL,
    random_photos integer NOT NULL CHECK (random_photos BETWEEN 0 AND 5),
    threshold     real NOT NULL CHECK (threshold > 0 AND threshold <= 1), -- the largest distance that matches
    blocking      boolean NOT NULL, -- whether the course is not completed before
    updated_at    timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, course_id),
    FOREIGN KEY (tenant_id, course_id) REFERENCES courses (tenant_id, id) ON DELETE CASCADE
);
CALL guard_tenant_table('identity_rules', 'SELECT, INSERT, UPDATE, DELETE');

-- What people decided, the last decision last.
CREATE TABLE identity_consents (
    tenant_id  uuid NOT NULL,
    id         uuid NOT NULL DEFAULT gen_random_uuid(),
    user_id    uuid NOT NULL,
    version    integer NOT NULL CHECK (version >= 0), -- of the text
    agreed     boolean NOT NULL,
    created_at timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX ON identity_consents (tenant_id, user_id, created_at DESC);
CALL guard_tenant_table('identity_consents', 'SELECT, INSERT, DELETE');

-- Photos and what a model computes of them, until their last day.
CREATE TABLE identity_photos (
    tenant_id      uuid NOT NULL,
    id             uuid NOT NULL,
    user_id        uuid NOT NULL,
    photo          bytea NOT NULL, -- sealed JPEG
    descriptor     bytea, -- sealed
    distance       real, -- from the reference
    taken_at       timestamptz(3) NOT NULL,
    retained_until timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX ON identity_photos (tenant_id, user_id);
CREATE INDEX ON identity_photos (tenant_id, retained_until);
CREATE INDEX ON identity_photos (retained_until);
CALL guard_tenant_table('identity_photos', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY unscoped ON identity_photos FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id, retained_until) ON identity_photos TO trilha_unscoped;

-- The photo with which a person's others are compared. It ends with the photo.
CREATE TABLE identity_references (
    tenant_id    uuid NOT NULL,
    user_id      uuid NOT NULL,
    photo_id     uuid NOT NULL,
    confirmed_at timestamptz(3), -- when an administrator said that it shows the person
    PRIMARY KEY (tenant_id, user_id),
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, photo_id) REFERENCES identity_photos (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX ON identity_references (tenant_id, photo_id);
CALL guard_tenant_table('identity_references', 'SELECT, INSERT, UPDATE, DELETE');

-- The photos that an enrollment asks for, and what became of them.
CREATE TABLE identity_checks (
    tenant_id     uuid NOT NULL,
    id            uuid NOT NULL DEFAULT gen_random_uuid(),
    enrollment_id uuid NOT NULL,
    user_id       uuid NOT NULL,
    moment        text NOT NULL CHECK (moment IN ('START', 'RANDOM', 'END')),
    number        integer NOT NULL, -- their order
    due_seconds   integer NOT NULL, -- of study, after which a RANDOM photo is taken
    status        text NOT NULL CHECK (status IN ('PENDING', 'MATCHED', 'DOUBTFUL', 'ACCEPTED', 'REFUSED')),
    attempts      integer NOT NULL DEFAULT 0,
    photo_id      uuid, -- the photo may be deleted by now
    taken_at      timestamptz(3),
    reason        text CHECK (length(reason) BETWEEN 1 AND 500), -- of a refusal
    decided_by    uuid,
    decided_at    timestamptz(3),
    created_at    timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, enrollment_id) REFERENCES all_enrollments (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id),
    CHECK ((status = 'PENDING') = (taken_at IS NULL))
);
CREATE UNIQUE INDEX identity_checks_of_enrollment ON identity_checks (tenant_id, enrollment_id, number);
CREATE INDEX ON identity_checks (tenant_id, user_id);
CREATE INDEX identity_checks_in_doubt ON identity_checks (tenant_id, taken_at, id) WHERE status = 'DOUBTFUL';
CALL guard_tenant_table('identity_checks', 'SELECT, INSERT, UPDATE, DELETE');

-- Enrollments whose person an administrator has identified in another way.
CREATE TABLE identity_confirmations (
    tenant_id     uuid NOT NULL,
    enrollment_id uuid NOT NULL,
    user_id       uuid NOT NULL,
    reason        text CHECK (length(reason) BETWEEN 1 AND 500), -- NULL: erased
    confirmed_by  uuid NOT NULL,
    created_at    timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, enrollment_id),
    FOREIGN KEY (tenant_id, enrollment_id) REFERENCES all_enrollments (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id)
);
CREATE INDEX ON identity_confirmations (tenant_id, user_id);
CALL guard_tenant_table('identity_confirmations', 'SELECT, INSERT, UPDATE, DELETE');
