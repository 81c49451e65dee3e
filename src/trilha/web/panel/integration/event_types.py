"""Labels for event types, in the order and groups of the catalog."""

from collections.abc import Mapping, Sequence

from trilha.kit import N_
from trilha.platform.events.catalogue import CATALOGUE
from trilha.web.panel.audit.words import ACTIONS

# By the first part of a type's name.
GROUPS: Mapping[str, str] = {
    "user": N_("People"),
    "course": N_("Courses"),
    "learning_path": N_("Learning paths"),
    "enrollment": N_("Enrollments"),
    "class": N_("Classes"),
    "registration": N_("Registrations in classes"),
    "attendance": N_("Attendance"),
    "practice": N_("Practice"),
    "requirement": N_("Mandatory training"),
    "reminder": N_("Reminders"),
    "certificate": N_("Certificates"),
    "assessment": N_("Assessments"),
    "voice_activity": N_("Voice answers"),
    "api_key": N_("API keys"),
    "webhook": N_("Webhooks"),
    "xapi_pipe": N_("xAPI pipes"),
}
# Types that the audit log does not have, or labels differently.
_OWN: Mapping[str, str] = {
    "user.updated": N_("Person's details changed"),
    "user.role_changed": N_("Person's role changed"),
    "course.updated": N_("Course published"),
    "learning_path.completed": N_("Learning path completed"),
    "enrollment.started": N_("Course started"),
    "enrollment.progress": N_("Progress recorded"),
    "enrollment.completed": N_("Course completed"),
    "enrollment.expired": N_("Enrollment expired"),
    "enrollment.requested": N_("Enrollment requested"),
    "registration.created": N_("Place in a class given"),
    "practice.assessed": N_("Practice assessed"),
    "attendance.recorded": N_("Minutes of a person in a session recorded"),
    "requirement.assigned": N_("Training required of a person"),
    "requirement.satisfied": N_("Required training completed"),
    "requirement.overdue": N_("Required training overdue"),
    "requirement.released": N_("Training no longer required of a person"),
    "course.rated": N_("Course rated"),
    "reminder.sent": N_("Reminder sent"),
    "certificate.expiring": N_("Certificate expiring soon"),
    "assessment.attempted": N_("Assessment attempted"),
    "assessment.passed": N_("Assessment passed"),
    "assessment.failed": N_("Assessment failed"),
    "voice_activity.completed": N_("Voice answer submitted"),
    "webhook.test": N_("Webhook test"),
    "webhook.activated": N_("Webhook activated"),
    "webhook.failed": N_("Delivery failed permanently"),
}
LABELS: Mapping[str, str] = {name: {**ACTIONS, **_OWN}[name] for name in CATALOGUE}
NOT_YET = N_("Not available yet")


def list_groups() -> list[tuple[str, str, list[str]]]:
    """Every type by its group and the group's label (a msgid), in the order of the catalog."""
    groups: dict[str, list[str]] = {}
    for name in CATALOGUE:
        groups.setdefault(name.partition(".")[0], []).append(name)
    return [(group, GROUPS[group], names) for group, names in groups.items()]


def expand(events: Sequence[str], groups: Sequence[str]) -> list[str]:
    """Returns these types and those of the groups, each once, in the order of the catalog."""
    wanted = set(events)
    return [name for name in CATALOGUE if name in wanted or name.partition(".")[0] in groups]


def label(name: str) -> str:
    """The label of a type (a msgid), or its name if the catalog no longer has it."""
    return LABELS.get(name, name)


def is_emitted(name: str) -> bool:
    return CATALOGUE[name].emitted
