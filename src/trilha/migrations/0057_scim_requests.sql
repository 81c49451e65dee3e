-- What providers asked for of late: the last thousand requests of each tenant, without a value that they sent.
CREATE TABLE scim_requests (
    tenant_id  uuid NOT NULL REFERENCES tenants (id),
    id         uuid NOT NULL,
    token_id   uuid NOT NULL,
    at         timestamptz(3) NOT NULL,
    method     text NOT NULL,
    route      text NOT NULL, -- with {…} for what varies, never the path as it was sent
    status     smallint NOT NULL,
    scim_type  text,
    changed    text[] NOT NULL, -- the names of the attributes that the request changed
    resource   uuid, -- what it was about
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX ON scim_requests (tenant_id, at, id);
CALL guard_tenant_table('scim_requests', 'SELECT, INSERT, UPDATE, DELETE');

-- All that were asked for, of each tenant.
CREATE TABLE scim_activity (
    tenant_id      uuid PRIMARY KEY REFERENCES tenants (id),
    requests       bigint NOT NULL,
    failures       bigint NOT NULL, -- answered with 400 or more
    changes        bigint NOT NULL, -- that changed something
    last_at        timestamptz(3) NOT NULL,
    last_change_at timestamptz(3)
);
CALL guard_tenant_table('scim_activity', 'SELECT, INSERT, UPDATE, DELETE');
