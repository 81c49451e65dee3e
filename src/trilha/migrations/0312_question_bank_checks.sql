-- outside a transaction
-- The foreign key of 0310, which new rows have met since then.
ALTER TABLE questions VALIDATE CONSTRAINT questions_bank_question_id_fkey;
