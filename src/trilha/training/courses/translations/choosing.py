"""SQL that chooses the texts of a course by the reader's language, without a statement for each row."""


def join_translation(course_id: str, language: str, alias: str = "translation") -> str:
    """Joins the translation of a course into a language, if it has one; both are SQL expressions."""
    return f"""LEFT JOIN course_translations AS {alias} ON {alias}.tenant_id = :tenant
        AND {alias}.course_id = {course_id} AND {alias}.language = {language}"""


def choose_title(own: str = "course", alias: str = "translation") -> str:
    """Returns the title, from a join with `courses` and `join_translation`."""
    return f"COALESCE({alias}.title, {own}.title)"


def choose_title_language(own: str = "course", alias: str = "translation") -> str:
    """Returns the language of `choose_title`."""
    return f"CASE WHEN {alias}.title IS NULL THEN {own}.language ELSE {alias}.language END"
