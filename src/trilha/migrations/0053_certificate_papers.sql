-- How certificates look, with what they are signed, and the badges that go with them.

-- A tenant's certificate templates. A certificate keeps a copy of its own, so that no change reaches one that
-- was issued. Pictures are in the file store, below certificate_templates/, under names made of their content.
CREATE TABLE certificate_templates (
    tenant_id   uuid NOT NULL REFERENCES tenants (id),
    id          uuid NOT NULL DEFAULT gen_random_uuid(),
    name        text NOT NULL CHECK (length(name) BETWEEN 1 AND 120),
    design      text NOT NULL CHECK (design IN ('classic', 'modern')),
    orientation text NOT NULL CHECK (orientation IN ('landscape', 'portrait')),
    locale      text CHECK (locale IN ('pt-BR', 'en')), -- null: the company's
    colour      text CHECK (colour ~ '^#[0-9a-f]{6}$'), -- null: the company's, or the design's own
    accent      text CHECK (accent ~ '^#[0-9a-f]{6}$'), -- null: the design's own
    texts       jsonb NOT NULL, -- {title, intro, body, closing, footer}, with placeholders; what is empty is usual
    signatories jsonb NOT NULL, -- [{name, role, picture}]
    logo_from   text NOT NULL CHECK (logo_from IN ('company', 'own', 'none')),
    logo        text CHECK (logo ~ '^[0-9a-f]{32}\.png$'),
    syllabus    boolean NOT NULL, -- whether the course's modules are listed
    is_default  boolean NOT NULL DEFAULT false,
    archived_at timestamptz(3),
    created_at  timestamptz(3) NOT NULL,
    updated_at  timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id),
    CHECK (logo IS NOT NULL OR logo_from <> 'own'),
    CHECK (NOT (is_default AND archived_at IS NOT NULL))
);
CREATE UNIQUE INDEX certificate_templates_default ON certificate_templates (tenant_id) WHERE is_default;
CREATE UNIQUE INDEX certificate_templates_name ON certificate_templates (tenant_id, name) WHERE archived_at IS NULL;
CALL guard_tenant_table('certificate_templates', 'SELECT, INSERT, UPDATE, DELETE');

-- Null: the tenant's default template, else the built-in one.
ALTER TABLE courses
    ADD COLUMN certificate_template_id uuid,
    ADD FOREIGN KEY (tenant_id, certificate_template_id) REFERENCES certificate_templates (tenant_id, id);
CREATE INDEX ON courses (tenant_id, certificate_template_id) WHERE certificate_template_id IS NOT NULL;

-- With what a tenant signs its certificates: a private key and its X.509 certificates (PKCS #12), sealed with
-- its password. The other columns are read from it, to be shown.
CREATE TABLE signing_identities (
    tenant_id   uuid PRIMARY KEY REFERENCES tenants (id),
    sealed      bytea NOT NULL,
    subject     text NOT NULL,
    issuer      text NOT NULL,
    serial      text NOT NULL, -- hexadecimal
    not_before  timestamptz(3) NOT NULL,
    not_after   timestamptz(3) NOT NULL,
    fingerprint bytea NOT NULL CHECK (length(fingerprint) = 32), -- SHA-256 of the signer's certificate
    created_at  timestamptz(3) NOT NULL
);
CALL guard_tenant_table('signing_identities', 'SELECT, INSERT, UPDATE, DELETE');

-- The Ed25519 keys that a tenant's badges are signed with. A retired one signs nothing more and stays
-- published: what it signed is still verified with it.
CREATE TABLE badge_keys (
    tenant_id  uuid NOT NULL REFERENCES tenants (id),
    kid        text NOT NULL, -- the thumbprint (RFC 7638)
    sealed     bytea NOT NULL, -- the private key
    public     jsonb NOT NULL, -- the JWK
    created_at timestamptz(3) NOT NULL,
    retired_at timestamptz(3),
    PRIMARY KEY (tenant_id, kid)
);
CREATE UNIQUE INDEX badge_keys_signing ON badge_keys (tenant_id) WHERE retired_at IS NULL;
CALL guard_tenant_table('badge_keys', 'SELECT, INSERT, UPDATE, DELETE');
