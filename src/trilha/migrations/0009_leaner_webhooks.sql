-- What is past its time is found by tenant and endpoint; every event and delivery paid for these.
DROP INDEX events_by_age;
DROP INDEX webhook_deliveries_created_at_tenant_id_idx;
-- Nobody read it.
ALTER TABLE webhook_replays DROP COLUMN enqueued;
