-- The words of names alone: of those that begin alike there are few, however many people have them, so that each
-- can be looked at for itself, and the people of all of them merged in the order of their names. E-mail addresses
-- and employee numbers, of which everybody has another, are not among them.
CREATE INDEX user_words_of_names ON user_words (tenant_id, word, name_key, user_id)
    WHERE strpos(name_key, word) > 0;

-- The courses of a category in the order of their list.
DROP INDEX courses_tenant_id_category_id_idx;
CREATE INDEX ON courses (tenant_id, category_id, created_at, id);

-- A completion of another system is a row that is completed from the start: those who are on a path go on by it.
CREATE FUNCTION note_imported_enrollment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO learning_path_changes (tenant_id, path_id, user_id, joins, created_at)
    SELECT NEW.tenant_id, part.path_id, NEW.user_id, false, NEW.updated_at
    FROM learning_path_courses AS part
    WHERE part.tenant_id = NEW.tenant_id AND part.course_id = NEW.course_id;
    RETURN NULL;
END
$$;
CREATE TRIGGER note_imported AFTER INSERT ON all_enrollments FOR EACH ROW
    WHEN (NEW.status = 'COMPLETED' AND NEW.imported_from IS NOT NULL)
    EXECUTE FUNCTION note_imported_enrollment();
