-- The order of a tenant's events is the order of the changes they tell of, whatever the clocks say. An event's
-- `sequence` is given when it is written, while its change holds the locks of the changed rows: one more than
-- the last that is committed by then, and no less than its time in microseconds since 1970. So of two events
-- about one row the later has the greater one, and what was created since a moment lies above that moment.
-- Two transactions that change different things at once may give the same one; then the id decides.
-- Counted in each tenant, and not by a sequence of the database: with Citus each node would number by itself.
ALTER TABLE events ADD COLUMN sequence bigint;
-- Kept with what is sent, so that a claim reads one index. What is finished by now is given it if replayed.
ALTER TABLE webhook_deliveries ADD COLUMN event_sequence bigint NOT NULL DEFAULT 0;
ALTER TABLE webhook_replays ADD COLUMN after_sequence bigint; -- with after_id, the last event that was done
-- When deliveries for the endpoint were last enqueued by the relay. Later than now: the clock was set back.
ALTER TABLE webhook_queues ADD COLUMN relayed_at timestamptz(3);

-- Whoever wrote before in the order of times and ids goes on doing so; each greater than the one before it.
-- The owner of the tables is bound by row-level security and has no policy: lifted while rows are carried over.
ALTER TABLE events NO FORCE ROW LEVEL SECURITY;
ALTER TABLE webhook_deliveries NO FORCE ROW LEVEL SECURITY;
ALTER TABLE webhook_replays NO FORCE ROW LEVEL SECURITY;
UPDATE events AS event SET sequence = placed.sequence
FROM (SELECT tenant_id, id, 1 + number + max(micros - number) OVER (PARTITION BY tenant_id ORDER BY number)
             AS sequence
      FROM (SELECT tenant_id, id, (extract(epoch FROM created_at) * 1000000)::bigint AS micros,
                   row_number() OVER (PARTITION BY tenant_id ORDER BY created_at, id) AS number
            FROM events) AS numbered) AS placed
WHERE event.tenant_id = placed.tenant_id AND event.id = placed.id;
UPDATE webhook_deliveries AS delivery SET event_sequence = event.sequence
FROM events AS event
WHERE event.tenant_id = delivery.tenant_id AND event.id = delivery.event_id AND delivery.status = 'PENDING';
UPDATE webhook_replays AS replay SET after_sequence = COALESCE(
    (SELECT sequence FROM events WHERE tenant_id = replay.tenant_id AND id = replay.after_id),
    (extract(epoch FROM after_at) * 1000000)::bigint)
WHERE after_at IS NOT NULL;
ALTER TABLE webhook_replays DROP COLUMN after_at;
ALTER TABLE webhook_replays FORCE ROW LEVEL SECURITY;
ALTER TABLE webhook_deliveries FORCE ROW LEVEL SECURITY;
ALTER TABLE events FORCE ROW LEVEL SECURITY;
-- For rows written by hand; the application reads the last one as well.
ALTER TABLE events ALTER COLUMN sequence SET DEFAULT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint;
ALTER TABLE events ALTER COLUMN sequence SET NOT NULL;

GRANT SELECT (sequence) ON events TO trilha_unscoped;

DROP INDEX events_tenant_id_created_at_id_idx;
DROP INDEX events_tenant_id_type_created_at_id_idx;
DROP INDEX events_to_relay;
CREATE INDEX ON events (tenant_id, sequence, id);
CREATE INDEX ON events (tenant_id, type, sequence, id);
CREATE INDEX events_to_relay ON events (tenant_id, sequence) WHERE NOT relayed;

-- Of what is due at one moment, the event that happened first goes first.
DROP INDEX webhook_deliveries_due;
CREATE INDEX webhook_deliveries_due
    ON webhook_deliveries (tenant_id, endpoint_id, forced DESC, next_attempt_at, event_sequence, id)
    WHERE status = 'PENDING';
