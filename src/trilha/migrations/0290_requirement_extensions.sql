-- A later due date that a manager gave one person for one requirement.
CREATE TABLE requirement_extensions (
    tenant_id      uuid NOT NULL,
    requirement_id uuid NOT NULL,
    user_id        uuid NOT NULL,
    due_at         timestamptz(3) NOT NULL,
    granted_by     uuid,
    created_at     timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, requirement_id, user_id),
    FOREIGN KEY (tenant_id, requirement_id) REFERENCES requirements (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id)
);
CREATE INDEX ON requirement_extensions (tenant_id, user_id);
CALL guard_tenant_table('requirement_extensions', 'SELECT, INSERT, UPDATE, DELETE');
