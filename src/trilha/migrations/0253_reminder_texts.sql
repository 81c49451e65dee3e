-- Own texts of reminders, and the managers' weekly digest.
CREATE TABLE reminder_texts (
    tenant_id  uuid NOT NULL REFERENCES tenants (id),
    kind       text NOT NULL, -- the name of the switch, or `manual`
    locale     text NOT NULL CHECK (locale IN ('pt-BR', 'en')),
    subject    text NOT NULL CHECK (length(subject) BETWEEN 1 AND 150),
    text       text NOT NULL CHECK (length(text) BETWEEN 1 AND 1000),
    updated_at timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, kind, locale)
);
CALL guard_tenant_table('reminder_texts', 'SELECT, INSERT, UPDATE, DELETE');

-- When managers are next told who of theirs is late or due. The first time only sets this.
ALTER TABLE requirement_engines ADD COLUMN digest_at timestamptz(3) NOT NULL DEFAULT '2000-01-01';
