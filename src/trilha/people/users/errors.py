"""The error codes of users."""

from trilha.core.errors import codes, field_codes, register

register(
    "users",
    field_codes(
        role_not_allowed="This role cannot be assigned through the API.",
        invalid_cpf="The CPF is not valid. Check its digits.",
        invalid_phone="The value is not a Brazilian phone number with its area code.",
        invalid_birth_date="The date of birth is not plausible.",
        underage="The person must be at least 18 years old.",
        invalid_cnh_number="The CNH number is not valid. Check its digits.",
        invalid_cnh_category="There is no such CNH category.",
        cnh_expired="The CNH has expired.",
        unknown_business_unit="There is no such business unit.",
        password_common="Many people use this password, so it is easy to guess. Choose another one.",  # noqa: S106
        password_is_name=(  # noqa: S106
            "The password is a name or an e-mail address that others can guess. Choose another one."
        ),
        too_many_passwords="A call can set at most 100 passwords.",
    ),
    codes(
        "authorization_error",
        403,
        privileged_user="Integrations may not do this to instructors, managers and administrators.",
    ),
    codes("not_found", 404, user_not_found="There is no such user."),
    codes(
        "conflict",
        409,
        email_exists="A user with this e-mail address already exists.",
        cpf_exists="Another user has this CPF.",
        last_admin="This is the last active administrator who can sign in. Add another one first.",
        user_suspended="The user is suspended. End the suspension first.",
        user_erased="The user's personal data has been erased and cannot be added again.",
        address_unconfirmed="An integration set this person's address or password. Use the admin panel.",
        user_has_password="The user already has a password.",  # noqa: S106
        ambiguous_employee_number="Several users have this employee number.",
        duplicate_item="An earlier item of this call is about the same user.",
        user_inactive="The user has left the company. Change the status in the admin panel.",
    ),
)
