-- What learners do: launches, what came of them, and the log that proves it.

-- Where the material of a module is, by its type. SCORM: package_id, item (the manifest's identifier).
ALTER TABLE modules ADD COLUMN IF NOT EXISTS content jsonb;

-- The end of an enrollment's log. Its row is locked first by whatever a learner does in that enrollment: the
-- lock orders commits, heartbeats and launches of all tabs and devices.
CREATE TABLE learning_heads (
    tenant_id        uuid NOT NULL,
    enrollment_id    uuid NOT NULL,
    number           integer NOT NULL DEFAULT 0, -- of the log's last entry; 0 is none
    hash             bytea NOT NULL DEFAULT '', -- of the log's last entry
    credited_seconds double precision NOT NULL DEFAULT 0, -- the workload, by the server's clock
    told_progress    double precision NOT NULL DEFAULT 0, -- by the last enrollment.progress, and when
    told_at          timestamptz(3),
    PRIMARY KEY (tenant_id, enrollment_id),
    FOREIGN KEY (tenant_id, enrollment_id) REFERENCES enrollments (tenant_id, id) ON DELETE CASCADE
) WITH (fillfactor = 50); -- room for the figures to change in place
CALL guard_tenant_table('learning_heads', 'SELECT, INSERT, UPDATE, DELETE');

-- What was done in an enrollment, in order. Rows are added, never changed or removed, but with a whole
-- enrollment. `hash` is keyed, over the entry and the hash before it.
CREATE TABLE learning_log (
    tenant_id     uuid NOT NULL,
    enrollment_id uuid NOT NULL,
    number        integer NOT NULL CHECK (number >= 1),
    kind          text NOT NULL,
    launch_id     uuid,
    at            timestamptz(3) NOT NULL,
    detail        text NOT NULL, -- JSON, to the byte as it was hashed
    hash          bytea NOT NULL,
    PRIMARY KEY (tenant_id, enrollment_id, number),
    FOREIGN KEY (tenant_id, enrollment_id) REFERENCES enrollments (tenant_id, id) ON DELETE CASCADE
);
CALL guard_tenant_table('learning_log', 'SELECT, INSERT');

-- A try at a module. It keeps the package that it began with.
CREATE TABLE attempts (
    tenant_id     uuid NOT NULL,
    id            uuid NOT NULL DEFAULT gen_random_uuid(),
    enrollment_id uuid NOT NULL,
    module_id     uuid NOT NULL,
    number        integer NOT NULL CHECK (number >= 1), -- of this enrollment in this module
    package_id    uuid, -- of SCORM, with the part's identifier, the version and what decides on the part
    item          text,
    version       text CHECK (version IN ('1.2', '2004')),
    settings      jsonb NOT NULL DEFAULT '{}',
    completion    text NOT NULL DEFAULT 'unknown' CHECK (completion IN ('unknown', 'incomplete', 'completed')),
    success       text NOT NULL DEFAULT 'unknown' CHECK (success IN ('unknown', 'passed', 'failed')),
    score         double precision CHECK (score BETWEEN 0 AND 100),
    progress      double precision NOT NULL DEFAULT 0 CHECK (progress BETWEEN 0 AND 100),
    cmi           text, -- JSON: what content may have back; nothing that names the person
    exit          text NOT NULL DEFAULT '', -- what content said when it was left
    terminated    boolean NOT NULL DEFAULT false, -- whether the last launch was left properly
    told          text NOT NULL DEFAULT '' CHECK (told IN ('', 'attempted', 'passed', 'failed')), -- by events
    newest_launch bigint NOT NULL DEFAULT 0, -- the newest launch that a commit was applied of, by its number
    started_at    timestamptz(3) NOT NULL,
    ended_at      timestamptz(3),
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, enrollment_id, module_id, number),
    FOREIGN KEY (tenant_id, enrollment_id) REFERENCES enrollments (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, module_id) REFERENCES modules (tenant_id, id)
);
CREATE INDEX ON attempts (tenant_id, module_id);
CALL guard_tenant_table('attempts', 'SELECT, INSERT, UPDATE, DELETE');

-- One opening of a module in one tab. Whoever has its token is the learner's player.
CREATE TABLE launches (
    tenant_id        uuid NOT NULL,
    id               uuid NOT NULL DEFAULT gen_random_uuid(),
    number           bigint NOT NULL CHECK (number >= 1), -- of the enrollment's launches
    enrollment_id    uuid NOT NULL,
    attempt_id       uuid NOT NULL,
    fingerprint      bytea NOT NULL, -- of the token
    review           boolean NOT NULL, -- nothing that it commits counts
    last_sequence    bigint NOT NULL DEFAULT 0, -- of the last commit that was taken
    last_hash        bytea NOT NULL DEFAULT '', -- of that commit's body
    session_seconds  double precision, -- as content says: a hint
    credited_seconds double precision NOT NULL DEFAULT 0,
    beat_at          timestamptz(3) NOT NULL, -- the last heartbeat, or the launch
    seen_at          timestamptz(3) NOT NULL, -- the last heartbeat or commit: from then on it expires
    ended_at         timestamptz(3), -- by its final commit
    superseded_by    uuid,
    source           text NOT NULL,
    agent            text NOT NULL,
    started_at       timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, enrollment_id, number),
    FOREIGN KEY (tenant_id, enrollment_id) REFERENCES enrollments (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, attempt_id) REFERENCES attempts (tenant_id, id) ON DELETE CASCADE
) WITH (fillfactor = 70); -- room for heartbeats to change it in place
CREATE INDEX ON launches (fingerprint);
CREATE INDEX ON launches (tenant_id, attempt_id);
CALL guard_tenant_table('launches', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY unscoped ON launches FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id, id, fingerprint) ON launches TO trilha_unscoped;

-- Which launch of a person is credited with time, and until when that was done: one at a time, whatever the
-- courses, so that a minute counts once.
CREATE TABLE learner_clocks (
    tenant_id      uuid NOT NULL,
    user_id        uuid NOT NULL,
    launch_id      uuid NOT NULL,
    credited_until timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, user_id),
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id) ON DELETE CASCADE
) WITH (fillfactor = 50);
CALL guard_tenant_table('learner_clocks', 'SELECT, INSERT, UPDATE, DELETE');

-- What an enrollment has reached in a module, over all attempts: the best of each.
CREATE TABLE module_progress (
    tenant_id     uuid NOT NULL,
    enrollment_id uuid NOT NULL,
    module_id     uuid NOT NULL,
    progress      double precision NOT NULL DEFAULT 0 CHECK (progress BETWEEN 0 AND 100),
    score         double precision CHECK (score BETWEEN 0 AND 100),
    started_at    timestamptz(3) NOT NULL,
    completed_at  timestamptz(3), -- when it was first completed and not failed
    PRIMARY KEY (tenant_id, enrollment_id, module_id),
    FOREIGN KEY (tenant_id, enrollment_id) REFERENCES enrollments (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, module_id) REFERENCES modules (tenant_id, id)
);
CREATE INDEX ON module_progress (tenant_id, module_id);
CALL guard_tenant_table('module_progress', 'SELECT, INSERT, UPDATE, DELETE');

-- The answers of an attempt, as content numbers them. One that is written over is changed here; the log
-- tells when.
CREATE TABLE interactions (
    tenant_id        uuid NOT NULL,
    attempt_id       uuid NOT NULL,
    index            integer NOT NULL CHECK (index >= 0),
    interaction_id   text NOT NULL,
    type             text NOT NULL,
    description      text NOT NULL,
    response         text NOT NULL, -- as people read it; raw_response as it was written
    raw_response     text NOT NULL,
    correct_response text NOT NULL,
    result           text NOT NULL,
    latency_seconds  double precision,
    weighting        double precision,
    client_time      text NOT NULL, -- the learner's own clock, in whatever form
    updated_at       timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, attempt_id, index),
    FOREIGN KEY (tenant_id, attempt_id) REFERENCES attempts (tenant_id, id) ON DELETE CASCADE
);
CALL guard_tenant_table('interactions', 'SELECT, INSERT, UPDATE, DELETE');

-- Calls of content to the runtime, with what they returned, for whoever looks why a package fails.
CREATE TABLE launch_traces (
    tenant_id uuid NOT NULL,
    launch_id uuid NOT NULL,
    number    integer NOT NULL CHECK (number BETWEEN 1 AND 200),
    calls     jsonb NOT NULL,
    at        timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, launch_id, number),
    FOREIGN KEY (tenant_id, launch_id) REFERENCES launches (tenant_id, id) ON DELETE CASCADE
);
CALL guard_tenant_table('launch_traces', 'SELECT, INSERT, DELETE');
