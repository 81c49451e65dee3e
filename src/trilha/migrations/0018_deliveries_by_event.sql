-- The key begins with the event: read by endpoint, it was taken for a search of an endpoint's oldest delivery,
-- which then read all of them. A relayed event's deliveries now stand together, too.
ALTER TABLE webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_event UNIQUE (tenant_id, event_id, endpoint_id),
    DROP CONSTRAINT webhook_deliveries_tenant_id_endpoint_id_event_id_key;
