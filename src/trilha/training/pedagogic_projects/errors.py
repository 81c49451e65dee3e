"""The error codes of pedagogic projects."""

from trilha.core.errors import codes, register

register(
    "pedagogic projects",
    codes("not_found", 404, project_version_not_found="The pedagogic project has no such version."),
    codes(
        "conflict",
        409,
        project_incomplete="The project lacks its objectives or who is responsible. Complete it first.",
        project_not_rendered="The PDF could not be made. Try again later.",
    ),
)
