-- outside a transaction
-- The checks of 0351, which new rows have met since then.
ALTER TABLE all_modules VALIDATE CONSTRAINT all_modules_type_check;
ALTER TABLE packages VALIDATE CONSTRAINT packages_version_known;
ALTER TABLE module_imports VALIDATE CONSTRAINT module_imports_type_known;
