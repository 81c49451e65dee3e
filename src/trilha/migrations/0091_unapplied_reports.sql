-- Work of learners that could not be applied to its attempt any more: it is told to them, and kept for whoever
-- looks after them.
CREATE TABLE unapplied_reports (
    tenant_id   uuid NOT NULL,
    launch_id   uuid NOT NULL,
    hash        bytea NOT NULL, -- of the body: sent twice, it is kept once
    kind        text NOT NULL,
    outcome     text NOT NULL, -- why it was not applied
    sequence    bigint NOT NULL,
    status      text NOT NULL, -- as content said; empty where it says nothing
    score       double precision,
    answers     integer NOT NULL,
    body        bytea, -- as it was sent; null where the launch has too much already
    size        integer NOT NULL,
    done_at     timestamptz(3), -- by the browser's clock
    received_at timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, launch_id, hash),
    FOREIGN KEY (tenant_id, launch_id) REFERENCES launches (tenant_id, id) ON DELETE CASCADE
);
CALL guard_tenant_table('unapplied_reports', 'SELECT, INSERT, DELETE');
