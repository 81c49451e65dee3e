-- Actions that cannot be taken back, such as reminders, are held while they can be undone.
ALTER TABLE bulk_actions
    ADD COLUMN held_until timestamptz(3), -- when the work of a held action begins
    DROP CONSTRAINT bulk_actions_state_check,
    ADD CONSTRAINT bulk_actions_state_check
        CHECK (state IN ('HELD', 'RUNNING', 'DONE', 'UNDOING', 'UNDONE')) NOT VALID;
GRANT SELECT (state, held_until) ON bulk_actions TO trilha_unscoped;
