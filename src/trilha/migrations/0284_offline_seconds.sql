-- The seconds for which the browser says that a launch was visible without a connection. They are counted once.
ALTER TABLE launches ADD COLUMN offline_seconds double precision NOT NULL DEFAULT 0;
