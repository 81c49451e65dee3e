-- What happened, written in the commit in which it happened. Deliveries are made from these rows.
CREATE TABLE events (
    -- Refers to no tenant: every writer in it would lock that one row.
    tenant_id  uuid NOT NULL,
    id         uuid NOT NULL,
    type       text NOT NULL,
    data       jsonb NOT NULL, -- ids, states and times; never a personal document
    created_at timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX ON events (tenant_id, created_at, id);
CREATE INDEX ON events (tenant_id, type, created_at, id);
CALL guard_tenant_table('events', 'SELECT, INSERT, UPDATE, DELETE');
