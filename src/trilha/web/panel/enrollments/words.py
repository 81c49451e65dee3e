"""Labels for the status of enrollments, and the reasons why somebody was not enrolled. All are msgids."""

from trilha.kit import N_, NC_, State
from trilha.training.enrollments.schema import SearchedStatus

STATUSES: dict[str, str] = {
    "NOT_STARTED": N_("Not started"),
    "IN_PROGRESS": N_("In progress"),
    "COMPLETED": NC_("enrollment", "Completed"),
    "EXPIRED": N_("Expired"),
}
STATES: dict[str, State] = {"IN_PROGRESS": "info", "COMPLETED": "ok", "EXPIRED": "warn"}
FILTERS: dict[SearchedStatus, str] = {
    "open": N_("Not completed yet"),
    "not_started": STATUSES["NOT_STARTED"],
    "in_progress": STATUSES["IN_PROGRESS"],
    "ending": N_("Due within 14 days"),
    "expired": STATUSES["EXPIRED"],
    "completed": STATUSES["COMPLETED"],
    "completed_this_month": N_("Completed this month"),
    "to_review": N_("Needs review"),
}
# Filters whose results have an order of their own, so that no other can be chosen.
STATUSES_WITH_ORDER = ("ending", "completed_this_month")
MODULE_TYPES: dict[str, str] = {
    "SCORM": N_("Interactive"),
    "CMI5": N_("Interactive"),
    "VIDEO": N_("Video"),
    "DOCUMENT": N_("Document"),
    "ARTICLE": N_("Article"),
    "QUIZ": N_("Quiz"),
    "CLASS": N_("Class"),
    "PRACTICE": N_("Practice"),
}
# Errors when one person is enrolled, shown above the form.
SENTENCES = {
    "invalid_uuid": N_("Choose one of the options."),
    "already_enrolled": N_("This person is already enrolled in this course."),
    "user_not_active": N_("This person is suspended or inactive. Reactivate them first."),
    "course_not_published": N_("This course is not published. Publish it to enroll people."),
    "regulatory_profile_missing": N_("This course requires documents that the profile does not have."),
    "out_of_range": N_("Send up to 10,000 addresses at a time."),
    "file_too_large": N_("The file is too large. Send one with fewer addresses."),
    "file_not_a_table": N_("This file cannot be read. Send a spreadsheet or a CSV file."),
    "file_encrypted": N_("The workbook is protected by a password. Save it without one and send it again."),
}
# Errors of one row of a bulk result.
REASONS = {
    "user_not_active": N_("Suspended or inactive"),
    "regulatory_profile_missing": N_("The profile does not have the required documents"),
    "user_not_found": N_("Person no longer found"),
    "course_not_published": N_("The course is no longer published"),
    "not_in_future": N_("The due date has passed"),
    "unknown_email": N_("No person found with this e-mail address"),
    "invalid_email": N_("Not a valid e-mail address"),
}
