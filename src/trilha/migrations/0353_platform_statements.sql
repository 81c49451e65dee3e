-- Statements of the Experience API about what the platform itself knows.

-- The companies that want them.
CREATE TABLE statement_settings (
    tenant_id uuid NOT NULL REFERENCES tenants (id),
    since     timestamptz(3) NOT NULL, -- what happened before is not written
    position  bigint NOT NULL, -- of the last event in the forward feed about which statements were written
    PRIMARY KEY (tenant_id)
);
CALL guard_tenant_table('statement_settings', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY unscoped ON statement_settings FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id, position) ON statement_settings TO trilha_unscoped;
-- Events are public, and what a learner does in a module is not among them. Entries of the log that statements
-- are still to be written about wait here. Each has a row of its own, so that no learner waits for the worker.
CREATE TABLE statement_outbox (
    tenant_id     uuid NOT NULL,
    at            timestamptz(3) NOT NULL,
    enrollment_id uuid NOT NULL,
    number        integer NOT NULL, -- of the entry
    PRIMARY KEY (tenant_id, at, enrollment_id, number)
);
CALL guard_tenant_table('statement_outbox', 'SELECT, INSERT, DELETE');
CREATE POLICY unscoped ON statement_outbox FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id) ON statement_outbox TO trilha_unscoped;
-- The worker looks for tenants with new events.
GRANT SELECT (position) ON events TO trilha_unscoped;
