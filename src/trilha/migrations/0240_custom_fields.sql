-- The company's own fields of people.
CREATE TABLE custom_fields (
    tenant_id  uuid NOT NULL REFERENCES tenants (id),
    key        text NOT NULL CHECK (key ~ '^[a-z][a-z0-9_]{0,39}$'),
    name       text NOT NULL CHECK (length(name) BETWEEN 1 AND 120),
    type       text NOT NULL CHECK (type IN ('text', 'number', 'date', 'choice')),
    choices    text[] NOT NULL DEFAULT '{}',
    personal   boolean NOT NULL DEFAULT false, -- its values are sealed, and shown masked
    position   integer NOT NULL,
    created_at timestamptz(3) NOT NULL,
    updated_at timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, key)
);
CALL guard_tenant_table('custom_fields', 'SELECT, INSERT, UPDATE, DELETE');

ALTER TABLE users
    ADD COLUMN custom_fields jsonb NOT NULL DEFAULT '{}', -- the values as they are read: personal ones as ***
    ADD COLUMN custom_fields_sealed bytea; -- the personal values
