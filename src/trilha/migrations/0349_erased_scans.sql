-- When a scan was deleted because nobody in its session has a record that must be kept.
ALTER TABLE attendance_scans ADD COLUMN erased_at timestamptz(3);
