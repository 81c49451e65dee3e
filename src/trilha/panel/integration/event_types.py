"""The types of events in people's words, in the order and the groups of the catalogue."""

from collections.abc import Mapping

from trilha.events.catalogue import CATALOGUE
from trilha.pages import N_
from trilha.panel.audit.words import ACTIONS

# By what a type's name begins with.
GROUPS: Mapping[str, str] = {
    "user": N_("People"),
    "course": N_("Courses"),
    "learning_path": N_("Learning paths"),
    "enrollment": N_("Enrollments"),
    "certificate": N_("Certificates"),
    "assessment": N_("Assessments"),
    "voice_activity": N_("Spoken answers"),
    "api_key": N_("API keys"),
    "webhook": N_("Webhooks"),
}
# What is not in the words of the audit record, or is called otherwise there.
_OWN: Mapping[str, str] = {
    "user.updated": N_("Person's details changed"),
    "user.role_changed": N_("Person given another role"),
    "course.updated": N_("Course published"),
    "learning_path.completed": N_("Learning path completed"),
    "enrollment.started": N_("Course started"),
    "enrollment.progress": N_("Progress made"),
    "enrollment.completed": N_("Course completed"),
    "enrollment.expired": N_("Enrollment expired"),
    "certificate.expiring": N_("Certificate about to expire"),
    "assessment.attempted": N_("Assessment attempted"),
    "assessment.passed": N_("Assessment passed"),
    "assessment.failed": N_("Assessment failed"),
    "voice_activity.completed": N_("Spoken answer handed in"),
    "webhook.test": N_("Test of a webhook"),
    "webhook.activated": N_("Webhook activated"),
    "webhook.failed": N_("Delivery given up"),
}
LABELS: Mapping[str, str] = {name: {**ACTIONS, **_OWN}[name] for name in CATALOGUE}
NOT_YET = N_("Not emitted yet")


def grouped() -> list[tuple[str, list[str]]]:
    """Every type under its group's words (a msgid), in the order of the catalogue."""
    found: dict[str, list[str]] = {}
    for name in CATALOGUE:
        found.setdefault(GROUPS[name.partition(".")[0]], []).append(name)
    return list(found.items())


def label(name: str) -> str:
    """A msgid. Of a type that is no longer in the catalogue, its name."""
    return LABELS.get(name, name)


def is_emitted(name: str) -> bool:
    return CATALOGUE[name].emitted
