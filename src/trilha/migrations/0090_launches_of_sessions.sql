-- A launch ends with the session that made it. Null in launches from before: those end by being silent.
ALTER TABLE launches
    ADD COLUMN session_id uuid,
    ADD COLUMN left_out integer NOT NULL DEFAULT 0; -- answers that were too large to be sent
ALTER TABLE previews ADD COLUMN session_id uuid;
GRANT SELECT (session_id) ON launches, previews TO trilha_unscoped;
