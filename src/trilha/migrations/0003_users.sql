-- People. Documents are sealed outside the database; beside each stands the masked form that reads show,
-- so that a read opens nothing.
CREATE TABLE users (
    tenant_id            uuid NOT NULL REFERENCES tenants (id),
    id                   uuid NOT NULL DEFAULT gen_random_uuid(),
    email                text NOT NULL, -- trimmed, lower-cased, IDNA: normalised on write
    name                 text NOT NULL CHECK (length(name) BETWEEN 1 AND 120),
    role                 text NOT NULL CHECK (role IN ('learner', 'admin', 'gestor', 'instrutor')),
    status               text NOT NULL DEFAULT 'ACTIVE' CHECK (status IN ('ACTIVE', 'SUSPENDED', 'INACTIVE')),
    department           text,
    job_title            text,
    business_unit_id     uuid,
    employee_number      text,
    xp                   integer NOT NULL DEFAULT 0 CHECK (xp >= 0),
    level                integer NOT NULL GENERATED ALWAYS AS (1 + xp / 500) STORED,
    last_login_at        timestamptz(3),
    password_hash        text,
    must_change_password boolean NOT NULL DEFAULT false,
    cpf                  text, -- masked
    cpf_sealed           bytea,
    phone                text, -- masked
    phone_sealed         bytea,
    birth_date           text, -- masked
    birth_date_sealed    bytea,
    cnh                  jsonb, -- the number masked, the rest clear
    cnh_sealed           bytea, -- the number
    created_at           timestamptz(3) NOT NULL,
    updated_at           timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, email)
);
CREATE INDEX ON users (tenant_id, created_at, id);
CREATE INDEX ON users (tenant_id, updated_at, id);
CREATE INDEX ON users (tenant_id, status, created_at, id);
CREATE INDEX ON users (tenant_id, role, created_at, id);
CALL guard_tenant_table('users', 'SELECT, INSERT, UPDATE, DELETE');
