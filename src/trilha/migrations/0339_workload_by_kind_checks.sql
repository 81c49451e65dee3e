-- outside a transaction
-- The checks of 0338, which new rows have met since then.
ALTER TABLE all_modules VALIDATE CONSTRAINT all_modules_workload_kind_check;
ALTER TABLE all_modules VALIDATE CONSTRAINT all_modules_delivery_check;
