"""The error codes of courses."""

from trilha.core.errors import codes, register

register(
    "courses",
    codes(
        "not_found",
        404,
        course_not_found="There is no such course.",
        module_not_found="There is no such module.",
    ),
    codes("conflict", 409, course_slug_exists="A course with this slug exists."),
    codes(
        "business_rule",
        422,
        course_without_modules="A course needs a required module before it is published.",
        teacher_not_instrutor="Who teaches a course has the role instrutor.",
    ),
)
