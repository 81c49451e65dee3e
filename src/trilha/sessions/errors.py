"""The error codes of signing in."""

from trilha.core.errors import codes, field_codes, register

register(
    "sessions",
    field_codes(
        wrong_password="The current password is another one.",  # noqa: S106
        same_password="The new password is the current one.",  # noqa: S106
        wrong_code="The code is not right, or was used.",
    ),
    codes(
        "authentication_error",
        401,
        invalid_login="The e-mail address or the password is wrong.",
        session_missing="Sign in first.",
        session_invalid="The session is over; sign in again.",
    ),
    codes(
        "authorization_error",
        403,
        password_change_required="Choose a password of your own first.",  # noqa: S106
        second_factor_required="Enter the code of your authenticator app first.",
        second_factor_setup_required="Set up an authenticator app first.",
        cross_site_request="The request did not come from a page of ours.",
        not_permitted="Your role may not do this.",
    ),
    codes("conflict", 409, second_factor_exists="There is an authenticator app already; remove it first."),
    codes("not_found", 404, session_not_found="There is no such session."),
    codes(
        "business_rule",
        422,
        email_change_invalid="The change of the address was confirmed, cancelled or replaced, or is too old.",
        own_email_change="Your own address is confirmed from the old one, or by another administrator.",
        reset_link_invalid="The link was used, has expired or was replaced by a newer one.",
        second_factor_locked="Ten wrong codes were entered: try again in an hour, or ask an administrator.",
        second_factor_not_begun="There is no authenticator app to confirm.",
    ),
)
