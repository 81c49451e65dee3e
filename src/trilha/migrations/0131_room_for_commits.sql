-- Every commit writes over an attempt, and many over a module's progress: room to change them in place, so that
-- no index is written.
ALTER TABLE attempts SET (fillfactor = 70);
ALTER TABLE module_progress SET (fillfactor = 70);
