"""The texts for roles, states and audit records."""

from collections.abc import Mapping

from trilha.kit import N_, State, say
from trilha.people.users.schema import Role, Status

ROLES: Mapping[Role, str] = {
    "learner": N_("Learner"),
    "gestor": N_("Manager"),
    "instrutor": N_("Instructor"),
    "admin": N_("Administrator"),
}
ROLE_HINTS: Mapping[Role, str] = {
    "learner": N_("Takes courses."),
    "gestor": N_("Follows and enrolls the people of their business units."),
    "instrutor": N_("Sees the courses they teach, and how their learners progress."),
    "admin": N_("Does everything in this panel."),
}
STATUSES: Mapping[Status, tuple[State | None, str]] = {
    "ACTIVE": ("ok", N_("Active")),
    "SUSPENDED": ("warn", N_("Suspended")),
    "INACTIVE": (None, N_("Inactive")),
}
# By action; other records show the name of their action.
RECORDS: Mapping[str, tuple[State, str, str]] = {
    "user.created": ("ok", "user-plus", N_("Added")),
    "user.updated": ("info", "pencil", N_("Profile changed")),
    "user.suspended": ("warn", "user-x", N_("Suspended")),
    "user.reactivated": ("ok", "user-check", N_("Suspension ended")),
    "user.role_changed": ("info", "user-cog", N_("Role changed")),
    "user.deleted": ("bad", "trash-2", N_("Personal data erased")),
    "user.invited": ("info", "mail", N_("Invitation asked for")),
    "user.password_set": ("info", "key-round", N_("Password set by an administrator")),
    "user.password_changed": ("info", "key-round", N_("Password changed")),
    "user.email_change_requested": ("info", "mail", N_("E-mail change requested")),
    "user.email_change_confirmed": ("info", "mail", N_("E-mail change confirmed")),
    "user.email_change_discarded": ("warn", "mail", N_("E-mail change canceled")),
    "user.second_factor_on": ("ok", "shield-check", N_("Two-step verification turned on")),
    "user.second_factor_off": ("warn", "shield-off", N_("Two-step verification turned off")),
    "user.second_factor_locked": ("bad", "shield-off", N_("Two-step verification locked after wrong codes")),
    "user.second_factor_unlocked": ("ok", "shield-check", N_("Two-step verification unlocked")),
    "user.passkey_added": ("ok", "key-round", N_("Passkey added")),
    "user.passkey_renamed": ("info", "key-round", N_("Passkey renamed")),
    "user.passkey_removed": ("warn", "key-round", N_("Passkey removed")),
    "user.passkey_refused": (
        "bad",
        "key-round",
        N_("Sign-in refused because a passkey may have been copied"),
    ),
    "session.started": ("info", "log-in", N_("Signed in")),
    "session.ended": ("info", "log-out", N_("Signed out")),
}
# Members of a profile, as `user.updated` names them.
MEMBERS: Mapping[str, str] = {
    "name": N_("name"),
    "email": N_("e-mail"),
    "status": N_("status"),
    "department": N_("department"),
    "job_title": N_("job title"),
    "business_unit_id": N_("business unit"),
    "employee_number": N_("employee number"),
    "hire_date": N_("hire date"),
    "custom_fields": N_("custom fields"),
    "cpf": N_("CPF"),
    "phone": N_("phone"),
    "birth_date": N_("date of birth"),
    "cnh": N_("driver's license"),
}
say(
    email_exists=N_("Someone already uses this e-mail."),
    quota_exceeded=N_("This exceeds your company's plan. Ask your provider for a larger one."),
    cpf_exists=N_("Someone else already has this CPF."),
    last_admin=N_(
        "This is the last active administrator who can sign in. Make someone else an administrator first."
    ),
    user_suspended=N_("This person is suspended. End the suspension first."),
    user_inactive=N_("This person is not active. Activate them first."),
    user_erased=N_("This person's personal data was erased. Nothing can be added or changed."),
    address_unconfirmed=N_("The e-mail address was changed meanwhile. Check it, and send the form again."),
    email_change_invalid=N_("This change was already confirmed, canceled or replaced, or it has expired."),
    own_email_change=N_("Your own new address is confirmed from the old one, or by another administrator."),
    user_has_password=N_("This person has a password already."),
    invalid_cpf=N_("Enter the 11 digits of the CPF."),
    invalid_phone=N_("Enter the phone number with its area code."),
    invalid_birth_date=N_("Enter the date of birth."),
    underage=N_("The person must be at least 18 years old. Check the date of birth."),
    invalid_cnh_number=N_("Enter the 11 digits of the license number."),
    invalid_cnh_category=N_("Choose the license category."),
    cnh_expired=N_("This license has expired. Enter the expiration date of the new one."),
    password_common=N_("Many people use this password, so it is easy to guess. Choose another one."),
    password_is_name=N_("Names and e-mail addresses are easy to guess. Choose another password."),
    unknown_business_unit=N_("This business unit is no longer there. Choose another one."),
)
