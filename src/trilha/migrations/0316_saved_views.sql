-- Filters and orders of a list that a person of the panel has given a name.
CREATE TABLE saved_views (
    tenant_id   uuid NOT NULL,
    id          uuid NOT NULL DEFAULT gen_random_uuid(),
    user_id     uuid NOT NULL, -- whose it is
    list        text NOT NULL CHECK (length(list) <= 200), -- the path of the list
    name        text NOT NULL CHECK (length(name) BETWEEN 1 AND 60),
    query       text NOT NULL CHECK (length(query) <= 2000), -- as in an address
    shared_with text CHECK (shared_with IN ('admin', 'gestor', 'instrutor')), -- a role; NULL: nobody
    created_at  timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, user_id, list, name),
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id)
);
CREATE INDEX ON saved_views (tenant_id, list, shared_with) WHERE shared_with IS NOT NULL;
CALL guard_tenant_table('saved_views', 'SELECT, INSERT, UPDATE, DELETE');
