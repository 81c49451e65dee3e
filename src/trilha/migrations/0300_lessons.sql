-- Lessons as documents. The newest version of a module and language is what learners read. `language` is empty
-- for the course's own language. A version without a document is Markdown, in `body`; a version with one has
-- in `body` the Markdown derived from it.
CREATE TABLE lesson_versions (
    tenant_id  uuid NOT NULL,
    module_id  uuid NOT NULL,
    language   text NOT NULL DEFAULT '' CHECK (length(language) <= 35),
    number     integer NOT NULL CHECK (number >= 0), -- 0: the text from before the first version
    document   jsonb,
    body       text NOT NULL,
    files      uuid[] NOT NULL DEFAULT '{}', -- the media files that the document shows
    author_id  uuid, -- NULL: an import or another program
    restored   integer, -- the number of the version that this one brought back
    created_at timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, module_id, language, number),
    FOREIGN KEY (tenant_id, module_id) REFERENCES all_modules (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, author_id) REFERENCES users (tenant_id, id)
);
CREATE INDEX ON lesson_versions (tenant_id, author_id);
CALL guard_tenant_table('lesson_versions', 'SELECT, INSERT, UPDATE, DELETE');

-- What an author has written and not published yet: one draft for each author, so that nobody overwrites
-- another's. `base` is the version that the draft started from; `revision` counts its saves.
CREATE TABLE lesson_drafts (
    tenant_id uuid NOT NULL,
    module_id uuid NOT NULL,
    language  text NOT NULL DEFAULT '' CHECK (length(language) <= 35),
    author_id uuid NOT NULL,
    base      integer NOT NULL,
    revision  integer NOT NULL,
    document  jsonb NOT NULL,
    saved_at  timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, module_id, language, author_id),
    FOREIGN KEY (tenant_id, module_id) REFERENCES all_modules (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, author_id) REFERENCES users (tenant_id, id)
);
CREATE INDEX ON lesson_drafts (tenant_id, author_id);
CALL guard_tenant_table('lesson_drafts', 'SELECT, INSERT, UPDATE, DELETE');

-- The HTML of lessons, made once of each version. `digest` is of the text and of the renderer's version:
-- another one means that it is to be made anew. It replaces rendered_articles, which the previous release
-- still uses.
CREATE TABLE rendered_lessons (
    tenant_id uuid NOT NULL,
    module_id uuid NOT NULL,
    language  text NOT NULL DEFAULT '' CHECK (length(language) <= 35),
    digest    bytea NOT NULL,
    html      text NOT NULL,
    PRIMARY KEY (tenant_id, module_id, language),
    FOREIGN KEY (tenant_id, module_id) REFERENCES all_modules (tenant_id, id) ON DELETE CASCADE
);
CALL guard_tenant_table('rendered_lessons', 'SELECT, INSERT, UPDATE, DELETE');
