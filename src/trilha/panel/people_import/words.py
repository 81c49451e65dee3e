"""What is wrong with a row, in the reader's language, by code."""

from collections.abc import Mapping

from trilha.pages import N_
from trilha.people_import.schema import RowProblem

MESSAGES: Mapping[str, str] = {
    "required": N_("It is empty and has to be filled in."),
    "invalid_email": N_("It is no e-mail address."),
    "invalid_cpf": N_("The check digits of the CPF do not match."),
    "cpf_exists": N_("Somebody else has this CPF."),
    "email_exists": N_("Somebody has this e-mail address already."),
    "invalid_phone": N_("It is no Brazilian phone number with its area code."),
    "invalid_birth_date": N_("It is no possible date of birth."),
    "underage": N_("The person is not yet 18."),
    "invalid_cnh_number": N_("The check digits of the CNH do not match."),
    "invalid_cnh_category": N_("There is no such CNH category."),
    "cnh_expired": N_("The CNH has expired."),
    "invalid_date": N_("It is no date."),
    "invalid_type": N_("Write yes or no."),
    "invalid_value": N_("It is none of the possible values."),
    "invalid_text": N_("It has characters that cannot be shown."),
    "too_long": N_("It is too long."),
    "too_short": N_("It is too short."),
    "role_not_allowed": N_("Administrators are not made by an import."),
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

# Of the columns of the report.
HEADER = (N_("Line"), N_("Column"), N_("Code"), N_("Problem"), N_("Value"))


def message(problem: RowProblem) -> str:
    """A msgid; of a code without one, the message that the report has."""
    return MESSAGES.get(problem.code, problem.message)
