-- The keys of fingerprints and of other keyed hashes, each sealed with a master key. Hashes cannot be computed again
-- without the hashed text, so these two keys stay when the master key changes, and only their sealing is renewed.
CREATE TABLE hash_keys (
    purpose text PRIMARY KEY CHECK (purpose IN ('fingerprint', 'mac')),
    sealed  bytea NOT NULL
);
GRANT SELECT ON hash_keys TO trilha_unscoped;

-- When all files were put on the list of those to encrypt again with this key; null before `trilha keys reseal`.
ALTER TABLE master_keys ADD COLUMN files_listed_at timestamptz(3);

-- The kinds are those that features declare.
ALTER TABLE file_sealings DROP CONSTRAINT file_sealings_kind_check;
