-- What the people of each business unit come to, counted anew by the worker every few minutes: of tens of
-- thousands of people, no page can count it while somebody waits. Only of tenants with many people; the others
-- are counted when they are asked for.
CREATE TABLE unit_counters (
    tenant_id        uuid NOT NULL,
    business_unit_id uuid NOT NULL,
    people           integer NOT NULL, -- active, and directly in this unit
    open             integer NOT NULL, -- their enrollments that are neither done nor over
    expiring         integer NOT NULL, -- those that end soon
    licences         integer NOT NULL, -- people in a course that asks for a driving licence, whose own is past
    completions      jsonb NOT NULL, -- by the first day of a month in São Paulo
    counted_at       timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, business_unit_id),
    FOREIGN KEY (tenant_id, business_unit_id) REFERENCES business_units (tenant_id, id) ON DELETE CASCADE
);
CALL guard_tenant_table('unit_counters', 'SELECT, INSERT, UPDATE, DELETE');

-- When the worker looks at a tenant's units next. No row: at once, where there are managers.
CREATE TABLE unit_countings (
    tenant_id uuid PRIMARY KEY REFERENCES tenants (id),
    due_at    timestamptz(3) NOT NULL
);
CALL guard_tenant_table('unit_countings', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY unscoped ON unit_countings FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id, due_at) ON unit_countings TO trilha_unscoped;
CREATE POLICY unscoped ON business_unit_managers FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id) ON business_unit_managers TO trilha_unscoped;
