"""The error codes of evaluations."""

from trilha.core.errors import codes, register

register(
    "evaluations",
    codes("not_found", 404, evaluation_not_offered="There is nothing to evaluate."),
    codes("conflict", 409, evaluation_final="The answer can no longer be changed."),
)
