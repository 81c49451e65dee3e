-- The words of names alone: of those that begin alike there are few, however many people have them, so that each
-- can be looked at for itself, and the people of all of them merged in the order of their names. E-mail addresses
-- and employee numbers, of which everybody has another, are not among them.
CREATE INDEX user_words_of_names ON user_words (tenant_id, word, name_key, user_id)
    WHERE strpos(name_key, word) > 0;
