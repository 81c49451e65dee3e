-- outside a transaction
-- The check of 0317, which new rows have met since then.
ALTER TABLE bulk_actions VALIDATE CONSTRAINT bulk_actions_state_check;
