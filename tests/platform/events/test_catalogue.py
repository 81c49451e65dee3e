"""The event catalog: complete, consistent, and without personal data."""

import re
from pathlib import Path

import msgspec
import pytest
from jsonschema import Draft202012Validator, FormatChecker

import trilha
from trilha.core.openapi.json_schema import example, flat_schema
from trilha.core.types import dec_hook, to_json
from trilha.platform.events.catalogue import CATALOGUE, Event

# The contract's table.
TYPES = {
    "users": [
        "user.created",
        "user.updated",
        "user.suspended",
        "user.reactivated",
        "user.deleted",
        "user.role_changed",
    ],
    "courses and paths": [
        "course.created",
        "course.updated",
        "course.archived",
        "course.rated",
        "learning_path.assigned",
        "learning_path.completed",
    ],
    "enrollments": [
        "enrollment.created",
        "enrollment.started",
        "enrollment.progress",
        "enrollment.completed",
        "enrollment.expired",
        "enrollment.updated",
        "enrollment.cancelled",
        "enrollment.requested",
    ],
    "classes": [
        "class.created",
        "class.updated",
        "class.cancelled",
        "registration.created",
        "registration.waitlisted",
        "registration.cancelled",
        "attendance.recorded",
    ],
    "practice": ["practice.assessed"],
    "requirements": [
        "requirement.assigned",
        "requirement.satisfied",
        "requirement.overdue",
        "requirement.released",
    ],
    "reminders": ["reminder.sent"],
    "certificates": ["certificate.issued", "certificate.revoked", "certificate.expiring"],
    "assessments": [
        "assessment.attempted",
        "assessment.passed",
        "assessment.failed",
        "voice_activity.completed",
    ],
    "system": [
        "api_key.created",
        "api_key.rotated",
        "api_key.revoked",
        "webhook.test",
        "webhook.activated",
        "webhook.failed",
        "xapi_pipe.paused",
    ],
}
PERSONAL = re.compile(r"cpf|cnh|phone|birth|document|licen[cs]e|e_?mail|password|secret|address|url")

NOT_EMITTED: set[str] = set()
# All code that could emit events.
SOURCE = {
    file: file.read_text()
    for file in sorted(Path(trilha.__file__).parent.rglob("*.py"))
    if file.parent.name != "events"
}

each_event = pytest.mark.parametrize("event", CATALOGUE.values(), ids=CATALOGUE)


def test_has_every_type_in_the_order_of_the_contract() -> None:
    assert list(CATALOGUE) == [type for group in TYPES.values() for type in group]


def test_completion_has_the_members_of_the_contract() -> None:
    assert CATALOGUE["enrollment.completed"].__struct_fields__ == (
        "enrollment_id",
        "user_id",
        "course_id",
        "progress_percent",
        "score",
        "completed_at",
    )


@each_event
def test_is_what_its_schema_says_and_comes_back(event: type[Event]) -> None:
    schema = flat_schema(event)
    value = example(schema, {})
    # Decoded as a Struct, not only as an example from the schema.
    made = msgspec.json.decode(to_json(value), type=event, dec_hook=dec_hook)
    sent = to_json(made)
    assert msgspec.json.decode(sent) == value
    assert msgspec.json.decode(sent, type=event, dec_hook=dec_hook) == made
    check = Draft202012Validator(schema, format_checker=FormatChecker())
    assert list(check.iter_errors(msgspec.json.decode(sent))) == []
    for name in event.__struct_fields__:
        assert list(check.iter_errors({each: value[each] for each in value if each != name})), name


@each_event
def test_has_no_member_like_a_personal_document(event: type[Event]) -> None:
    assert [name for name in event.__struct_fields__ if PERSONAL.search(name)] == []
    # Nested Structs are checked too.
    assert "$ref" not in str(flat_schema(event))


@each_event
def test_says_when_it_is_emitted(event: type[Event]) -> None:
    description = event.description()
    assert re.match(r"Sent (when|within|30 days before|to a webhook endpoint when) ", description)
    assert description.endswith(".")
    assert "\n" not in description
    assert description.endswith(" Not emitted yet.") is (event.type in NOT_EMITTED)


def test_what_is_not_emitted_yet_is_made_nowhere() -> None:
    """When a feature emits one, remove it from this list, and remove `emitted = False`."""
    made = {
        event.type
        for event in CATALOGUE.values()
        if any(re.search(rf"\b{event.__name__}\(", text) for text in SOURCE.values())
    }
    assert set(CATALOGUE) - made == NOT_EMITTED
    assert {event.type for event in CATALOGUE.values() if not event.emitted} == NOT_EMITTED


@each_event
def test_names_what_an_audit_record_is_about(event: type[Event]) -> None:
    members = set(event.__struct_fields__)
    assert event.target in members
    assert event.target_name is None or event.target_name in members
    # Events are never changed, so a name in one could not be erased.
    assert event.target_name is None or event.target != "user_id"
    assert set(event.personal) <= members
