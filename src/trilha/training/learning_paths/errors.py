"""The error codes of learning paths."""

from trilha.core.errors import codes, register

register(
    "learning_paths",
    codes("not_found", 404, learning_path_not_found="There is no such learning path."),
    codes("conflict", 409, learning_path_slug_exists="A learning path with this slug exists."),
    codes(
        "business_rule",
        422,
        learning_path_without_courses="A learning path needs a course before it is published.",
        learning_path_is_draft="A draft has to be published first.",
        learning_path_not_published="The learning path is not published.",
        too_many_courses="A learning path can have at most 50 courses.",
    ),
)
