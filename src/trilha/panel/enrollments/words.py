"""What is said of enrollments: of their states, and of why somebody was not enrolled. All msgids."""

from trilha.enrollments.schema import StatusFilter
from trilha.pages import N_, State

STATUSES: dict[str, str] = {
    "NOT_STARTED": N_("Not started"),
    "IN_PROGRESS": N_("In progress"),
    "COMPLETED": N_("Completed"),
    "EXPIRED": N_("Expired"),
}
STATES: dict[str, State] = {"IN_PROGRESS": "info", "COMPLETED": "ok", "EXPIRED": "warn"}
FILTERS: dict[StatusFilter, str] = {
    "not_started": STATUSES["NOT_STARTED"],
    "in_progress": STATUSES["IN_PROGRESS"],
    "completed": STATUSES["COMPLETED"],
    "expired": STATUSES["EXPIRED"],
}
DOCUMENTS: dict[str, str] = {
    "cpf": N_("CPF"),
    "phone": N_("Phone"),
    "birth_date": N_("Birth date"),
    "cnh": N_("Driving licence (CNH)"),
}
# Of one person, above the form.
SENTENCES = {
    "invalid_uuid": N_("Choose one of the options."),
    "already_enrolled": N_("This person takes this course already."),
    "user_not_active": N_("This person is suspended or inactive. Reactivate them first."),
    "course_not_published": N_("This course is not published, so nobody can be enrolled in it."),
    "regulatory_profile_missing": N_("This course asks for documents that the profile does not have."),
    "too_many_people": N_("Choose 10,000 people at most; go by units, for example."),
    "nobody_found": N_("Nobody was found. Try fewer filters."),
    "file_too_large": N_("Send a file with fewer addresses."),
    "file_not_a_table": N_("Send a CSV file; other files cannot be read."),
}
# Of one of many.
REASONS = {
    "user_not_active": N_("Suspended or inactive"),
    "regulatory_profile_missing": N_("The profile lacks documents that this course asks for"),
    "user_not_found": N_("No longer there"),
    "course_not_published": N_("The course is no longer published"),
    "not_in_future": N_("The last day is over"),
    "unknown_email": N_("Nobody you reach has this address"),
    "invalid_email": N_("This is no e-mail address"),
}
