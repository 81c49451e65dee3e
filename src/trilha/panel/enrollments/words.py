"""What is said of enrollments: of their states, and of why somebody was not enrolled. All msgids."""

from trilha.enrollments.schema import SearchedStatus
from trilha.pages import N_, State

STATUSES: dict[str, str] = {
    "NOT_STARTED": N_("Not started"),
    "IN_PROGRESS": N_("In progress"),
    "COMPLETED": N_("Completed"),
    "EXPIRED": N_("Expired"),
}
STATES: dict[str, State] = {"IN_PROGRESS": "info", "COMPLETED": "ok", "EXPIRED": "warn"}
FILTERS: dict[SearchedStatus, str] = {
    "open": N_("Under way"),
    "not_started": STATUSES["NOT_STARTED"],
    "in_progress": STATUSES["IN_PROGRESS"],
    "ending": N_("Ends within 14 days"),
    "expired": N_("Expired: past the last day"),
    "completed": STATUSES["COMPLETED"],
    "completed_this_month": N_("Completed this month"),
    "to_review": N_("To review"),
}
# Those that have an order of their own.
ORDERED = ("ending", "completed_this_month")
MODULE_TYPES: dict[str, str] = {
    "SCORM": N_("Interactive"),
    "VIDEO": N_("Video"),
    "DOCUMENT": N_("Document"),
    "ARTICLE": N_("Article"),
    "QUIZ": N_("Quiz"),
}
# Of one person, above the form.
SENTENCES = {
    "invalid_uuid": N_("Choose one of the options."),
    "already_enrolled": N_("This person takes this course already."),
    "user_not_active": N_("This person is suspended or inactive. Reactivate them first."),
    "course_not_published": N_("This course is not published, so nobody can be enrolled in it."),
    "regulatory_profile_missing": N_("This course asks for documents that the profile does not have."),
    "out_of_range": N_("Send 10,000 addresses at most at a time."),
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
