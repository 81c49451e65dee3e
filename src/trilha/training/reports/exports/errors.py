"""The error codes of exports."""

from trilha.core.errors import codes, register

MAX_WAITING = 20

register(
    "exports",
    codes("not_found", 404, export_not_found="There is no such export."),
    codes(
        "conflict",
        409,
        too_many_exports=f"{MAX_WAITING} exports are waiting or being made: ask again when one is ready.",
    ),
)
