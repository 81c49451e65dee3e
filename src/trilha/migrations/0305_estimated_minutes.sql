-- Whether a module's minutes are the platform's guess, which is made anew when the content changes, or an author's.
ALTER TABLE all_modules ADD COLUMN minutes_estimated boolean NOT NULL DEFAULT false;
CREATE OR REPLACE VIEW modules WITH (security_invoker = true) AS
    SELECT * FROM all_modules WHERE removed_at IS NULL;
