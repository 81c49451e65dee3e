"""What is said of learning paths. All msgids."""

from trilha.learning_paths.schema import Where
from trilha.pages import N_, State

STATUSES: dict[str, str] = {
    "PUBLISHED": N_("In use"),
    "DRAFT": N_("Draft"),
    "ARCHIVED": N_("In the archive"),
}
STATES: dict[str, State] = {"PUBLISHED": "ok", "DRAFT": "info"}
SHOWN: dict[Where, str] = {
    "open": N_("On the way"),
    "completed": N_("Completed"),
    "overdue": N_("Past the last day"),
    "problems": N_("With something in the way"),
}
SENTENCES = {
    "learning_path_slug_exists": N_("Another path has this address."),
    "learning_path_without_courses": N_("A path needs a course before it is published."),
    "learning_path_is_draft": N_("A draft has to be published first."),
    "learning_path_not_published": N_("Publish the path before you assign it."),
    "too_many_courses": N_("A path has 50 courses at the most."),
    "course_not_found": N_("Choose one of the options."),
    "invalid_uuid": N_("Choose one of the options."),
    "learning_group_not_found": N_("Choose one of the options."),
    "business_unit_not_found": N_("Choose one of the options."),
    "out_of_range": N_("Enter 1 to 3,650 days."),
}
