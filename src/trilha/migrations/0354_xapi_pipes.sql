-- Pipes forward a company's statements to learning record stores elsewhere.
CREATE TABLE xapi_pipes (
    tenant_id       uuid NOT NULL REFERENCES tenants (id),
    id              uuid NOT NULL DEFAULT gen_random_uuid(),
    name            text NOT NULL CHECK (length(name) BETWEEN 1 AND 120),
    url             text NOT NULL CHECK (length(url) BETWEEN 1 AND 2048),
    username        text NOT NULL CHECK (length(username) BETWEEN 1 AND 500),
    password        bytea NOT NULL, -- sealed
    version         text NOT NULL CHECK (version IN ('1.0.3', '2.0.0')),
    verbs           text[] NOT NULL, -- only statements with one of these; all if it is empty
    activity_prefix text CHECK (length(activity_prefix) BETWEEN 1 AND 2048),
    active          boolean NOT NULL,
    position        bigint NOT NULL, -- `stored` of the last statement that was forwarded or left out
    next_attempt_at timestamptz(3) NOT NULL, -- while a worker forwards: when another one may
    failures        integer NOT NULL DEFAULT 0, -- in a row
    failing_since   timestamptz(3),
    error           text, -- why the last attempt failed
    http_status     integer, -- of the last response
    paused_at       timestamptz(3), -- when the worker paused it because it failed for too long
    delivered_at    timestamptz(3),
    forwarded       bigint NOT NULL DEFAULT 0, -- statements that the receiver has accepted
    refused         bigint NOT NULL DEFAULT 0, -- statements that it has refused, and that were left out
    refused_id      uuid, -- the last of these
    created_at      timestamptz(3) NOT NULL,
    updated_at      timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id),
    CHECK ((failures = 0) = (failing_since IS NULL))
);
CREATE INDEX ON xapi_pipes (tenant_id, created_at, id);
CALL guard_tenant_table('xapi_pipes', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY unscoped ON xapi_pipes FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id, active, position, next_attempt_at) ON xapi_pipes TO trilha_unscoped;
-- The worker compares the positions of pipes with the newest statements.
CREATE POLICY unscoped ON xapi_clocks FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id, last_stored) ON xapi_clocks TO trilha_unscoped;
