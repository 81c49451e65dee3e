"""The types of events in people's words, in the order and the groups of the catalogue."""

from collections.abc import Mapping

from trilha.events.catalogue import CATALOGUE
from trilha.pages import N_

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
LABELS: Mapping[str, str] = {
    "user.created": N_("Person added"),
    "user.updated": N_("Person's details changed"),
    "user.suspended": N_("Person suspended"),
    "user.reactivated": N_("Person reactivated"),
    "user.deleted": N_("Person's data erased"),
    "user.role_changed": N_("Person given another role"),
    "course.created": N_("Course created"),
    "course.updated": N_("Course published"),
    "course.archived": N_("Course archived"),
    "learning_path.assigned": N_("Learning path assigned"),
    "learning_path.completed": N_("Learning path completed"),
    "enrollment.created": N_("Person enrolled"),
    "enrollment.started": N_("Course started"),
    "enrollment.progress": N_("Progress made"),
    "enrollment.completed": N_("Course completed"),
    "enrollment.expired": N_("Enrollment expired"),
    "enrollment.updated": N_("End of an enrollment changed"),
    "enrollment.cancelled": N_("Enrollment cancelled"),
    "certificate.issued": N_("Certificate issued"),
    "certificate.revoked": N_("Certificate revoked"),
    "certificate.expiring": N_("Certificate about to expire"),
    "assessment.attempted": N_("Assessment attempted"),
    "assessment.passed": N_("Assessment passed"),
    "assessment.failed": N_("Assessment failed"),
    "voice_activity.completed": N_("Spoken answer handed in"),
    "api_key.created": N_("API key created"),
    "api_key.rotated": N_("API key rotated"),
    "api_key.revoked": N_("API key revoked"),
    "webhook.test": N_("Test of a webhook"),
    "webhook.activated": N_("Webhook activated"),
    "webhook.failed": N_("Delivery given up"),
}
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
