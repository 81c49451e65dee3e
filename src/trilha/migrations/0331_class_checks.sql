-- outside a transaction
-- The checks of 0330, which new rows have met since then.
ALTER TABLE all_modules VALIDATE CONSTRAINT all_modules_type_check;
ALTER TABLE all_modules VALIDATE CONSTRAINT all_modules_presence_check;
