"""The error codes of pipes."""

from trilha.core.errors import codes, register

register(
    "xapi_pipes",
    codes("not_found", 404, pipe_not_found="The pipe does not exist."),
    codes("conflict", 409, too_many_pipes="The company has the maximum number of pipes. Delete one first."),
)
