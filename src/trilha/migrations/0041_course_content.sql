-- What a module shows, and the files that were uploaded for it.

-- By type: SCORM {package_id, item}, VIDEO {file_id, captions: [{file_id, language}]}, DOCUMENT {file_id}.
-- The text of an ARTICLE is in body.
ALTER TABLE modules ADD COLUMN IF NOT EXISTS content jsonb;

-- A file that was uploaded: video, captions, a document. It never changes; its bytes are in the file store,
-- at media/{tenant_id}/{sha256}.
CREATE TABLE media_files (
    tenant_id  uuid NOT NULL REFERENCES tenants (id),
    id         uuid NOT NULL DEFAULT gen_random_uuid(),
    sha256     text NOT NULL CHECK (sha256 ~ '^[0-9a-f]{64}$'),
    media_type text NOT NULL,
    size       bigint NOT NULL CHECK (size >= 0), -- in bytes
    name       text NOT NULL, -- as the person called it
    seconds    double precision CHECK (seconds >= 0), -- of a video, where it is known
    pages      integer CHECK (pages >= 1), -- of a document, where it is known
    created_at timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, sha256)
);
CALL guard_tenant_table('media_files', 'SELECT, INSERT, UPDATE, DELETE');
