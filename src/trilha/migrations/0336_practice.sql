-- Practice: modules of the type PRACTICE, whose checklist a qualified assessor rates. Migration 351 allows the type.
-- An assessment of a person in a module: one attempt. It has the checklist as it was then, and the qualification of
-- its assessor as it was on the day. All attempts stay.
CREATE TABLE practice_assessments (
    tenant_id             uuid NOT NULL,
    id                    uuid NOT NULL DEFAULT gen_random_uuid(),
    enrollment_id         uuid NOT NULL,
    user_id               uuid NOT NULL, -- who is assessed
    course_id             uuid NOT NULL,
    module_id             uuid NOT NULL,
    number                integer NOT NULL CHECK (number > 0), -- counts the attempts of the enrollment in the module
    assessor_id           uuid NOT NULL,
    items                 jsonb NOT NULL, -- the checklist: id, title and criteria of each item
    qualification         text CHECK (length(qualification) BETWEEN 1 AND 120), -- the title that the module asks for
    assessed_on           text CHECK (assessed_on ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'), -- null: the day of the signature
    result                text CHECK (result IN ('SATISFACTORY', 'UNSATISFACTORY')), -- null until the assessor signs
    held_qualification    jsonb, -- the assessor's, as it was on the day
    digest                text CHECK (digest ~ '^[0-9a-f]{64}$'), -- of what both sign
    assessor_signature_id uuid,
    assessor_signed_at    timestamptz(3),
    learner_signature_id  uuid,
    learner_signed_at     timestamptz(3),
    annulled_at           timestamptz(3),
    annul_reason          text CHECK (length(annul_reason) BETWEEN 1 AND 1000), -- NULL beside annulled_at: erased
    created_at            timestamptz(3) NOT NULL,
    updated_at            timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, enrollment_id, module_id, number),
    FOREIGN KEY (tenant_id, enrollment_id) REFERENCES all_enrollments (tenant_id, id),
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id),
    FOREIGN KEY (tenant_id, course_id) REFERENCES courses (tenant_id, id),
    FOREIGN KEY (tenant_id, module_id) REFERENCES all_modules (tenant_id, id),
    FOREIGN KEY (tenant_id, assessor_id) REFERENCES users (tenant_id, id),
    CHECK (user_id <> assessor_id),
    CHECK ((assessor_signature_id IS NULL) = (assessor_signed_at IS NULL)),
    CHECK ((assessor_signature_id IS NULL) = (result IS NULL)),
    CHECK ((learner_signature_id IS NULL) = (learner_signed_at IS NULL)),
    CHECK (learner_signature_id IS NULL OR assessor_signature_id IS NOT NULL)
);
CREATE UNIQUE INDEX practice_assessments_open ON practice_assessments (tenant_id, enrollment_id, module_id)
    WHERE assessor_signed_at IS NULL AND annulled_at IS NULL;
CREATE INDEX ON practice_assessments (tenant_id, created_at, id);
CREATE INDEX ON practice_assessments (tenant_id, updated_at, id);
CREATE INDEX ON practice_assessments (tenant_id, user_id, created_at);
CREATE INDEX ON practice_assessments (tenant_id, assessor_id, created_at);
CREATE INDEX ON practice_assessments (tenant_id, course_id, created_at, id);
CREATE INDEX ON practice_assessments (tenant_id, module_id, created_at, id);
CALL guard_tenant_table('practice_assessments', 'SELECT, INSERT, UPDATE, DELETE');

CREATE TABLE practice_ratings (
    tenant_id     uuid NOT NULL,
    assessment_id uuid NOT NULL,
    item_id       uuid NOT NULL, -- of the checklist in the assessment
    satisfactory  boolean NOT NULL,
    note          text CHECK (length(note) BETWEEN 1 AND 1000),
    rated_at      timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, assessment_id, item_id),
    FOREIGN KEY (tenant_id, assessment_id) REFERENCES practice_assessments (tenant_id, id) ON DELETE CASCADE
);
CALL guard_tenant_table('practice_ratings', 'SELECT, INSERT, UPDATE, DELETE');

-- A photo that proves an item. Its file is sealed in the file store; the worker deletes those that were removed.
CREATE TABLE practice_photos (
    tenant_id     uuid NOT NULL,
    id            uuid NOT NULL DEFAULT gen_random_uuid(),
    assessment_id uuid NOT NULL,
    item_id       uuid NOT NULL,
    sha256        text NOT NULL CHECK (sha256 ~ '^[0-9a-f]{64}$'),
    size          integer NOT NULL CHECK (size > 0),
    created_at    timestamptz(3) NOT NULL,
    removed_at    timestamptz(3),
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, assessment_id) REFERENCES practice_assessments (tenant_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX practice_photos_once ON practice_photos (tenant_id, assessment_id, item_id) WHERE removed_at IS NULL;
CREATE INDEX ON practice_photos (tenant_id, assessment_id);
CREATE INDEX ON practice_photos (tenant_id, removed_at) WHERE removed_at IS NOT NULL;
CALL guard_tenant_table('practice_photos', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY unscoped ON practice_photos FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id, removed_at) ON practice_photos TO trilha_unscoped;
