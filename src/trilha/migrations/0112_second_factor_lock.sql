-- Wrong codes of the last hour, and until when no code is taken after too many of them.
ALTER TABLE authenticators
    ADD COLUMN failed_at timestamptz(3)[] NOT NULL DEFAULT '{}',
    ADD COLUMN locked_until timestamptz(3);
