"""Labels and errors of learning paths. All are msgids."""

from trilha.kit import N_, NC_, State
from trilha.training.learning_paths.schema import Where

STATUSES: dict[str, str] = {
    "PUBLISHED": NC_("path", "Published"),
    "DRAFT": N_("Draft"),
    "ARCHIVED": NC_("path", "Archived"),
}
STATES: dict[str, State] = {"PUBLISHED": "ok", "DRAFT": "info"}
FILTERS: dict[Where, str] = {
    "open": N_("In progress"),
    "completed": NC_("path", "Completed"),
    "overdue": NC_("path", "Overdue"),
    "problems": N_("With issues"),
}
SENTENCES = {
    "learning_path_slug_exists": N_("Another path already uses this address. Change the title."),
    "learning_path_without_courses": N_("Add at least one course to publish the path."),
    "learning_path_is_draft": N_("Publish the draft first."),
    "learning_path_not_published": N_("Publish the path before you assign it."),
    "too_many_courses": N_("A path can have up to 50 courses."),
    "course_not_found": N_("Choose one of the options."),
    "invalid_uuid": N_("Choose one of the options."),
    "learning_group_not_found": N_("Choose one of the options."),
    "business_unit_not_found": N_("Choose one of the options."),
    "out_of_range": N_("Enter a number of days from 1 to 3,650."),
}
