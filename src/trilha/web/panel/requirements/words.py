"""Labels and errors of mandatory training. All are msgids."""

from trilha.kit import N_, NC_, State
from trilha.training.requirements.standing import State as Standing

STATES: dict[Standing, str] = {
    "VALID": NC_("requirement", "Valid"),
    "DUE_SOON": NC_("requirement", "Due soon"),
    "OVERDUE": NC_("requirement", "Overdue"),
    "MISSING": NC_("requirement", "Not done yet"),
    "EXCUSED": NC_("requirement", "Excused"),
}
BADGES: dict[Standing, State] = {"VALID": "ok", "DUE_SOON": "warn", "OVERDUE": "bad", "MISSING": "info"}
SENTENCES = {
    "one_target": N_("Choose either a course or a learning path."),
    "one_due_date": N_("Enter either a number of days or a date."),
    "course_not_found": N_("Choose one of the options."),
    "learning_path_not_found": N_("Choose one of the options."),
    "unknown_business_unit": N_("Choose one of the options."),
    "unknown_learning_group": N_("Choose one of the options."),
    "invalid_uuid": N_("Choose one of the options."),
    "out_of_range": N_("Enter a number within the allowed range."),
    "invalid_date": N_("Enter a date."),
    "already_reminded": N_("This person was reminded within the last 24 hours."),
    "enrollment_completed": N_("The course is completed already."),
    "user_not_active": N_("The person is not active."),
}
