-- Reports by mail: who wants one, how often, and when the next is due.
CREATE TABLE report_mails (
    tenant_id uuid NOT NULL REFERENCES tenants (id),
    user_id   uuid NOT NULL,
    every     text NOT NULL CHECK (every IN ('week', 'month')),
    next_at   timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, user_id),
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX report_mails_due ON report_mails (next_at, tenant_id);
CALL guard_tenant_table('report_mails', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY unscoped ON report_mails FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id, next_at) ON report_mails TO trilha_unscoped;
