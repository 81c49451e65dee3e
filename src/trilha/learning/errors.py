"""The error codes of launches."""

from trilha.core.errors import codes, register

register(
    "learning",
    codes(
        "not_found",
        404,
        launch_not_found="There is no such launch.",
        review_flag_not_found="There is no such sign, or it is dismissed.",
    ),
    codes(
        "conflict",
        409,
        enrollment_expired="The enrollment has run out.",
        module_without_content="The module has nothing to open.",
    ),
    codes("business_rule", 422, module_locked="The modules before this one come first."),
)
