"""The texts for a row's problems, by code."""

from collections.abc import Mapping

from trilha.kit import N_
from trilha.people.people_import.queries import ProblemCount
from trilha.people.people_import.schema import RowProblem

MESSAGES: Mapping[str, str] = {
    "required": N_("This value is required."),
    "invalid_email": N_("Enter a valid e-mail address."),
    "invalid_cpf": N_("The check digits of the CPF do not match."),
    "quota_exceeded": N_("This exceeds your company's plan. Ask your provider for a larger one."),
    "cpf_exists": N_("Someone else already has this CPF."),
    "email_exists": N_("Someone already uses this e-mail."),
    "invalid_phone": N_("Enter a Brazilian phone number with its area code."),
    "invalid_birth_date": N_("Enter a valid date of birth."),
    "underage": N_("The person is not yet 18."),
    "invalid_cnh_number": N_("The check digits of the CNH do not match."),
    "invalid_cnh_category": N_("There is no such CNH category."),
    "cnh_expired": N_("The CNH has expired."),
    "invalid_date": N_("Enter a valid date."),
    "invalid_number": N_("Enter a number, without a thousands separator."),
    "out_of_range": N_("The number is too large or too small."),
    "unknown_custom_field": N_("There is no custom field with this key."),
    "invalid_type": N_("Write yes or no."),
    "invalid_value": N_("Use one of the accepted values."),
    "invalid_text": N_("It has characters that cannot be shown."),
    "too_long": N_("It is too long."),
    "password_common": N_("Many people use this password, so it is easy to guess."),
    "password_is_name": N_("A name or an e-mail address is easy to guess as a password."),
    "too_short": N_("It is too short."),
    "role_not_allowed": N_("An import cannot create administrators."),
    "privileged_user": N_(
        "An import changes neither the e-mail of an instructor, manager or administrator nor the role of an "
        "administrator. Change them in the person's profile."
    ),
    "address_unconfirmed": N_(
        "An integration set this person's e-mail or password. Check it and change the role in their profile."
    ),
    "unknown_business_unit": N_("There is no such business unit."),
    "ambiguous_business_unit": N_("Several business units have this name: give the code."),
    "ambiguous_employee_number": N_("Several people have this employee number."),
    "employee_number_of_another": N_("The employee number is that of a person with another e-mail."),
    "duplicate_row": N_("An earlier line has the same e-mail, CPF or employee number."),
    "too_many_cells": N_("The line has more cells than the header."),
    "user_erased": N_("The personal data of this person were erased."),
}

# Why a person who was imported is not enrolled.
_NOT_ENROLLED: Mapping[str, str] = {
    "user_not_active": N_("Not enrolled: the person is suspended or inactive."),
    "regulatory_profile_missing": N_("Not enrolled: the profile lacks documents that the course requires."),
    "course_not_found": N_("Not enrolled: the course no longer exists."),
    "course_not_published": N_("Not enrolled: the course is no longer published."),
    "learning_path_not_found": N_("Not enrolled: the learning path no longer exists."),
    "learning_path_not_published": N_("Not enrolled: the learning path is no longer published."),
    "not_in_future": N_("Not enrolled: the due date has passed."),
}

# The headings of the report.
HEADER = (N_("Line"), N_("Column"), N_("Code"), N_("Problem"), N_("Value"))


def message(problem: RowProblem | ProblemCount) -> str:
    """Returns a msgid, or the report's own message for a code without a text."""
    return MESSAGES.get(problem.code) or _NOT_ENROLLED.get(problem.code) or problem.message
