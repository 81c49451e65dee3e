-- Who is through with a path, and who is past its last day: counted and listed without walking everybody on it.

CREATE INDEX ON learning_path_assignments (tenant_id, path_id, assigned_at, user_id)
    WHERE completed_at IS NOT NULL;
CREATE INDEX ON learning_path_assignments (tenant_id, path_id, due_at)
    WHERE completed_at IS NULL AND due_at IS NOT NULL;
