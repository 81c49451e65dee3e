-- Actions on many rows of a list of the panel, and what each of their rows was like before and after.
CREATE TABLE bulk_actions (
    tenant_id   uuid NOT NULL,
    id          uuid NOT NULL,
    action      text NOT NULL CHECK (length(action) <= 60),
    options     jsonb NOT NULL, -- what was chosen for all rows, such as a due date
    address     text NOT NULL CHECK (length(address) <= 2000), -- the list, with its filters
    user_id     uuid NOT NULL, -- who does it
    actor_kind  text NOT NULL, -- the same, as in the audit record
    actor       text NOT NULL,
    source      text NOT NULL,
    state       text NOT NULL DEFAULT 'RUNNING' CHECK (state IN ('RUNNING', 'DONE', 'UNDOING', 'UNDONE')),
    is_due      boolean NOT NULL GENERATED ALWAYS AS (state IN ('RUNNING', 'UNDOING')) STORED,
    rows        integer NOT NULL CHECK (rows >= 0),
    done        integer NOT NULL DEFAULT 0,
    skipped     integer NOT NULL DEFAULT 0,
    undone      integer NOT NULL DEFAULT 0,
    kept        integer NOT NULL DEFAULT 0, -- changed since by somebody else, so not undone
    created_at  timestamptz(3) NOT NULL,
    finished_at timestamptz(3),
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id),
    CHECK (done + skipped <= rows),
    CHECK (undone + kept <= done)
);
CREATE INDEX ON bulk_actions (tenant_id, user_id);
CREATE INDEX ON bulk_actions (tenant_id, created_at);
CREATE INDEX bulk_actions_due ON bulk_actions (created_at, tenant_id) WHERE is_due;
CREATE INDEX bulk_actions_old ON bulk_actions (created_at, tenant_id);
CALL guard_tenant_table('bulk_actions', 'SELECT, INSERT, UPDATE, DELETE');
CREATE POLICY unscoped ON bulk_actions FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id, is_due, created_at) ON bulk_actions TO trilha_unscoped;

CREATE TABLE bulk_action_items (
    tenant_id      uuid NOT NULL,
    bulk_action_id uuid NOT NULL,
    number         integer NOT NULL, -- its place in the list
    target_id      uuid NOT NULL,
    state          text NOT NULL DEFAULT 'WAITING'
                   CHECK (state IN ('WAITING', 'DONE', 'SKIPPED', 'UNDONE', 'KEPT')),
    reason         text, -- why it was skipped or kept, as a code
    before         jsonb, -- what the action changes of the row
    after          jsonb,
    PRIMARY KEY (tenant_id, bulk_action_id, number),
    UNIQUE (tenant_id, bulk_action_id, target_id),
    FOREIGN KEY (tenant_id, bulk_action_id) REFERENCES bulk_actions (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX ON bulk_action_items (tenant_id, bulk_action_id, state, number);
CALL guard_tenant_table('bulk_action_items', 'SELECT, INSERT, UPDATE, DELETE');
