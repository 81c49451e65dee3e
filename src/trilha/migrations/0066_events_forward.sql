-- The feed of events can be followed forward, and replays tell how far they are.

-- The place of an event in the forward feed, given by the relay when the event is committed: what commits late
-- comes later, and is never behind somebody who has read on. Of equal ones the id decides.
ALTER TABLE events ADD COLUMN position bigint;
-- The owner of the tables is bound by row-level security and has no policy: lifted while rows are carried over.
ALTER TABLE events NO FORCE ROW LEVEL SECURITY;
UPDATE events SET position = sequence WHERE relayed AND type <> 'webhook.test';
ALTER TABLE events FORCE ROW LEVEL SECURITY;
CREATE INDEX ON events (tenant_id, position, id) WHERE position IS NOT NULL;

-- A replay that is done stays for a while, to be asked about.
ALTER TABLE webhook_replays
    ADD COLUMN enqueued integer NOT NULL DEFAULT 0,
    ADD COLUMN finished_at timestamptz(3);
CREATE INDEX ON webhook_replays (tenant_id, endpoint_id, created_at, id);
CREATE INDEX webhook_replays_running ON webhook_replays (tenant_id, created_at) WHERE finished_at IS NULL;
CREATE INDEX webhook_replays_finished ON webhook_replays (finished_at, tenant_id) WHERE finished_at IS NOT NULL;
GRANT SELECT (finished_at) ON webhook_replays TO trilha_unscoped;
