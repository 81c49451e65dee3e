"""The error codes of learning groups."""

from trilha.core.errors import codes, register

register(
    "learning_groups",
    codes("not_found", 404, learning_group_not_found="There is no such learning group."),
    codes("conflict", 409, learning_group_exists="A learning group with this name already exists."),
)
