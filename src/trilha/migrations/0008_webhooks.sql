-- Where a tenant wants its events sent. A deleted one waits for the worker to clear its history away.
CREATE TABLE webhook_endpoints (
    tenant_id           uuid NOT NULL REFERENCES tenants (id),
    id                  uuid NOT NULL DEFAULT gen_random_uuid(),
    url                 text NOT NULL CHECK (length(url) <= 2048),
    events              text[] NOT NULL CHECK (cardinality(events) > 0),
    description         text,
    active              boolean NOT NULL,
    failure_count       integer NOT NULL DEFAULT 0, -- attempts failed in a row
    secret              bytea NOT NULL, -- sealed outside the database
    previous_secret     bytea,
    previous_expires_at timestamptz(3),
    deleted_at          timestamptz(3),
    created_at          timestamptz(3) NOT NULL,
    updated_at          timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id),
    CHECK ((previous_secret IS NULL) = (previous_expires_at IS NULL))
);
CREATE INDEX ON webhook_endpoints (tenant_id, created_at, id) WHERE deleted_at IS NULL;
CALL guard_tenant_table('webhook_endpoints', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY door ON webhook_endpoints FOR SELECT TO trilha_door USING (true);
GRANT SELECT (tenant_id, id, active, deleted_at) ON webhook_endpoints TO trilha_door;

-- One event on its way to one endpoint. Who sends holds it by `claim_id` until `claimed_until`; what a
-- sender that died leaves behind is free again after that.
CREATE TABLE webhook_deliveries (
    tenant_id       uuid NOT NULL,
    id              uuid NOT NULL DEFAULT gen_random_uuid(),
    endpoint_id     uuid NOT NULL,
    event_id        uuid NOT NULL,
    event_type      text NOT NULL,
    status          text NOT NULL DEFAULT 'PENDING' CHECK (status IN ('PENDING', 'DELIVERED', 'DEAD_LETTER')),
    forced          boolean NOT NULL DEFAULT false, -- goes out even where the endpoint is inactive
    attempts        integer NOT NULL DEFAULT 0,
    cycle_attempts  integer NOT NULL DEFAULT 0, -- since it was last enqueued by hand
    attempt_log     jsonb NOT NULL DEFAULT '[]',
    next_attempt_at timestamptz(3),
    claim_id        uuid,
    claimed_until   timestamptz(3),
    delivered_at    timestamptz(3),
    created_at      timestamptz(3) NOT NULL,
    updated_at      timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, endpoint_id, event_id),
    FOREIGN KEY (tenant_id, endpoint_id) REFERENCES webhook_endpoints (tenant_id, id),
    CHECK ((status = 'PENDING') = (next_attempt_at IS NOT NULL)),
    CHECK ((claim_id IS NULL) = (claimed_until IS NULL))
) WITH (
    fillfactor = 80, -- a claim changes no index and stays on its page
    -- What is done lies in the way of what is due until it is vacuumed away.
    autovacuum_vacuum_scale_factor = 0.01,
    autovacuum_vacuum_cost_delay = 0
);
CREATE INDEX ON webhook_deliveries (tenant_id, endpoint_id, created_at, id);
CREATE INDEX ON webhook_deliveries (tenant_id, endpoint_id, status, created_at, id);
CREATE INDEX ON webhook_deliveries (tenant_id, endpoint_id, event_type, created_at, id);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (tenant_id, endpoint_id, forced, next_attempt_at)
    WHERE status = 'PENDING';
-- What retention drops, oldest first.
CREATE INDEX ON webhook_deliveries (created_at, tenant_id);
CALL guard_tenant_table('webhook_deliveries', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY door ON webhook_deliveries FOR SELECT TO trilha_door USING (true);
GRANT SELECT (tenant_id, endpoint_id, status, forced, next_attempt_at, claimed_until, created_at)
    ON webhook_deliveries TO trilha_door;

-- Past events to be sent again to one endpoint, a batch at a time.
CREATE TABLE webhook_replays (
    tenant_id   uuid NOT NULL,
    id          uuid NOT NULL DEFAULT gen_random_uuid(),
    endpoint_id uuid NOT NULL,
    event_types text[], -- null: those the endpoint subscribes to
    since       timestamptz(3) NOT NULL,
    until       timestamptz(3) NOT NULL,
    after_at    timestamptz(3), -- the last event that was done
    after_id    uuid,
    enqueued    integer NOT NULL DEFAULT 0,
    created_at  timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, endpoint_id) REFERENCES webhook_endpoints (tenant_id, id)
);
CALL guard_tenant_table('webhook_replays', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY door ON webhook_replays FOR SELECT TO trilha_door USING (true);
GRANT SELECT (tenant_id) ON webhook_replays TO trilha_door;

-- What the relay has not yet turned into deliveries.
ALTER TABLE events ADD COLUMN relayed boolean NOT NULL DEFAULT false;
CREATE INDEX events_to_relay ON events (tenant_id, created_at) WHERE NOT relayed;
CREATE INDEX events_by_age ON events (created_at, tenant_id);
CREATE POLICY door ON events FOR SELECT TO trilha_door USING (true);
GRANT SELECT (tenant_id, relayed, created_at) ON events TO trilha_door;
