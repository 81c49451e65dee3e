-- The language in which a course is written, which may have translations.
ALTER TABLE courses
    ADD COLUMN language text NOT NULL DEFAULT 'pt-BR',
    ADD CONSTRAINT courses_language_check CHECK (length(language) BETWEEN 2 AND 35) NOT VALID;
UPDATE courses SET language = tenants.locale FROM tenants
WHERE tenants.id = courses.tenant_id AND tenants.locale <> courses.language;

-- A further language of a course, and the course's own texts in it. NULL: not translated, so that learners see the
-- text in the course's language.
CREATE TABLE course_translations (
    tenant_id   uuid NOT NULL,
    course_id   uuid NOT NULL,
    language    text NOT NULL CHECK (length(language) BETWEEN 2 AND 35),
    title       text CHECK (length(title) BETWEEN 1 AND 200),
    description text CHECK (length(description) BETWEEN 1 AND 10000),
    revision    integer NOT NULL DEFAULT 0, -- counts the changes of these texts and of the modules' titles
    created_at  timestamptz(3) NOT NULL,
    updated_at  timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, course_id, language),
    FOREIGN KEY (tenant_id, course_id) REFERENCES courses (tenant_id, id)
);
CALL guard_tenant_table('course_translations', 'SELECT, INSERT, UPDATE, DELETE');

CREATE TABLE module_translations (
    tenant_id uuid NOT NULL,
    module_id uuid NOT NULL,
    language  text NOT NULL,
    course_id uuid NOT NULL,
    title     text NOT NULL CHECK (length(title) BETWEEN 1 AND 200),
    PRIMARY KEY (tenant_id, module_id, language),
    FOREIGN KEY (tenant_id, module_id) REFERENCES all_modules (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, course_id, language)
        REFERENCES course_translations (tenant_id, course_id, language) ON DELETE CASCADE
);
CREATE INDEX ON module_translations (tenant_id, course_id, language);
CALL guard_tenant_table('module_translations', 'SELECT, INSERT, UPDATE, DELETE');

-- The language in which the learner takes the course. NULL: that of their pages.
ALTER TABLE all_enrollments
    ADD COLUMN language text,
    ADD CONSTRAINT all_enrollments_language_check CHECK (length(language) BETWEEN 2 AND 35) NOT VALID;
CREATE OR REPLACE VIEW enrollments WITH (security_invoker = true) AS
    SELECT * FROM all_enrollments WHERE cancelled_at IS NULL;
