"""Labels of classes, and what the refusals of their pages say. All are msgids."""

from trilha.kit import N_, NC_, State, say
from trilha.training.meetings.schema import ServiceKind

STATUSES: dict[str, str] = {
    "SCHEDULED": NC_("class", "Scheduled"),
    "ENDED": NC_("class", "Ended"),
    "CANCELLED": NC_("class", "Canceled"),
}
STATES: dict[str, State] = {"SCHEDULED": "info", "ENDED": "ok", "CANCELLED": "bad"}
SIGNS = {"SCHEDULED": "calendar-clock", "ENDED": "circle-check", "CANCELLED": "calendar-x"}
FILTERS = {status.lower(): label for status, label in STATUSES.items()}
WHEN = {
    "today": N_("Meets today"),
    "week": N_("Meets within 7 days"),
    "month": N_("Meets within 30 days"),
    "past": N_("Has met before"),
}
MEETING_SERVICES: dict[ServiceKind, str] = {
    "google_meet": "Google Meet",
    "teams": "Microsoft Teams",
    "zoom": "Zoom",
}
OVERLAPS = {
    "room_overlap": N_("The room is in use"),
    "instructor_overlap": N_("An instructor is elsewhere"),
    "learner_overlap": N_("Somebody registered is elsewhere"),
}
say(
    class_full=N_("The class is full and has no waiting list. Add places first."),
    already_registered=N_("This person is in this class or on its waiting list already."),
    capacity_below_registered=N_(
        "More people have a place than this number. Cancel registrations first, or enter a larger number."
    ),
    class_cancelled=N_("This class was canceled, so nothing in it can change."),
    session_cancelled=N_("This session was canceled, so it cannot change."),
    attendance_recorded=N_("Attendance of this session is recorded, so it cannot move to the future."),
    too_many_sessions=N_("A class has at most 100 sessions."),
    module_not_class=N_("Choose a module of the type class."),
    ends_before_start=N_("Enter an end after the start."),
    session_too_long=N_("A session lasts at most 7 days. Add another session for the rest."),
    https_required=N_("Enter an address that begins with https://."),
    unknown_time_zone=N_("Choose one of the time zones."),
    class_not_found=N_("This class no longer exists."),
)
SENTENCES = {
    "meeting_link_exists": N_("Choose either a link or a service that creates one."),
    "meeting_service_missing": N_("This service was removed. Choose another one."),
    "starts: invalid_value": N_("Enter a time, such as 09:30."),
    "ends: invalid_value": N_("Enter a time, such as 09:30."),
    "minimum_people: out_of_range": N_("Enter at most the number of places."),
    "maximum_people: out_of_range": N_("Enter a number from 1 to 10,000."),
    "instructor_ids: too_long": N_("A session has at most 20 instructors."),
    "user_not_found": N_("One of these people no longer exists. Choose again."),
    "invalid_uuid": N_("Choose one of the options."),
    "invalid_type": N_("Enter a number."),
    "user_not_active": N_("This person is suspended or inactive. Reactivate them first."),
    "course_not_published": N_("This course is not published. Publish it to register people."),
    "regulatory_profile_missing": N_("This course requires documents that the profile does not have."),
}
# Why one person of many was not registered.
REASONS = {
    "class_full": N_("No place is left"),
    "user_not_active": N_("Suspended or inactive"),
    "user_not_found": N_("Person no longer found"),
    "course_not_published": N_("The course is not published"),
    "regulatory_profile_missing": N_("The profile does not have the required documents"),
}
