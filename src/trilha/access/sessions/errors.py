"""The error codes of signing in."""

from trilha.core.errors import codes, field_codes, register

register(
    "sessions",
    field_codes(
        wrong_password="The current password is wrong.",  # noqa: S106
        same_password="The new password must differ from the current one.",  # noqa: S106
        wrong_code="The code is wrong or was already used.",
    ),
    codes(
        "authentication_error",
        401,
        invalid_login="The e-mail address or the password is wrong.",
        session_missing="Sign in first.",
        session_invalid="The session has ended. Sign in again.",
    ),
    codes(
        "authorization_error",
        403,
        password_change_required="Change the temporary password first.",  # noqa: S106
        second_factor_required="Enter a code from your authenticator app first.",
        recent_sign_in_required="Sign in again, or enter your password, to do this.",
        second_factor_setup_required="Set up an authenticator app first.",
        cross_site_request="The request came from another website. Reload the page and try again.",
        signed_in_by_link="A link of your company's portal has signed you in. Sign in yourself to do this.",
        not_permitted="Your role does not allow this.",
    ),
    codes(
        "conflict",
        409,
        second_factor_exists="Two-step verification is already on. Turn it off first.",
        passkey_exists="This passkey is registered already.",
    ),
    codes(
        "not_found",
        404,
        session_not_found="There is no such session.",
        passkey_not_found="There is no such passkey.",
    ),
    codes(
        "business_rule",
        422,
        email_change_invalid="The change was already confirmed, canceled or replaced, or has expired.",
        own_email_change="Use the link mailed to your old address, or ask another administrator.",
        reset_link_invalid="The link was already used, has expired, or was replaced by a newer one.",
        second_factor_locked="Too many wrong codes. Try again in an hour, or ask an administrator.",
        passkey_refused="The answer of the passkey is not valid, was already used or has expired. Try again.",
        passkeys_unavailable="Your company does not allow passkeys, or this address has none.",
        too_many_passkeys="You have 20 passkeys already. Remove one first.",
        no_passkey="You have no passkey. Add one first.",
        second_factor_not_begun="Start by setting up an authenticator app.",
    ),
)
