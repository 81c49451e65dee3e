"""The error codes of users."""

from trilha.core.errors import codes, field_codes, register

register(
    "users",
    field_codes(
        role_not_allowed="This role cannot be given through the API.",
        invalid_cpf="The CPF's check digits do not match.",
        invalid_phone="The value is not a Brazilian phone number with its area code.",
        invalid_birth_date="The value is not a possible date of birth.",
        underage="The person is not yet 18.",
        invalid_cnh_number="The CNH number's check digits do not match.",
        invalid_cnh_category="There is no such CNH category.",
        cnh_expired="The CNH has expired.",
        unknown_business_unit="There is no such business unit.",
        too_many_passwords="At most 100 people of one call are given a password.",
    ),
    codes(
        "authorization_error",
        403,
        privileged_user="The address of an instructor, manager or administrator changes in the panel alone.",
    ),
    codes("not_found", 404, user_not_found="There is no such user."),
    codes(
        "conflict",
        409,
        email_exists="A user with this e-mail exists.",
        cpf_exists="Another user has this CPF.",
        last_admin="The tenant's last active administrator who can sign in stays one, and active.",
        user_suspended="The user is suspended; end the suspension first.",
        user_erased="The user's personal data were erased; nothing can be added to it.",
        address_unconfirmed="An integration set this person's address or password; use the panel.",
        user_has_password="The user has a password already.",  # noqa: S106
        ambiguous_employee_number="Several users have this employee number.",
        duplicate_item="An earlier item is about the same user.",
        user_inactive="The user has left; the status is changed in the admin panel.",
    ),
)
