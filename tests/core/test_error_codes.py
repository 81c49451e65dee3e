"""The closed list of error codes: who may add to it, its order, and its members."""

import subprocess
import sys

import pytest

from trilha import app
from trilha.core import errors
from trilha.core.errors import CODES, FIELD_CODES, ApiError, codes, error_of, register

assert app  # registers the codes of every feature
MODULES = (
    *("people.business_units.actions", "people.learning_groups.actions", "people.people_import.actions"),
    *("people.custom_fields.actions", "training.reminders.actions", "training.requirements.actions"),
    *(
        "people.users.actions",
        "access.sessions.actions",
        "access.sso.domains.actions",
        "access.sso.saml.actions",
    ),
    *(
        "training.external_certificates.actions",
        "training.qualifications.actions",
        "training.practice.actions",
        "training.enrollment_requests.actions",
    ),
    *("training.learner_questions.actions", "training.evaluations.actions"),
    "training.pedagogic_projects.actions",
    *("training.certificates.actions", "training.certificates.signatures.actions"),
    *("training.certificates.templates.actions", "training.courses.actions", "training.enrollments.actions"),
    *("training.learning.launches.actions", "training.learning_paths.actions", "training.quizzes.actions"),
    "training.question_bank.errors",
    *("training.classes.actions", "training.signatures.actions", "training.identity.actions"),
    *("training.reports.exports.actions", "training.scorm.actions", "training.xapi.actions"),
    *("platform.tenants.quotas.errors", "training.meetings.actions", "training.xapi_pipes.actions"),
    *("training.learning.cmi5.sessions", "training.learning.cmi5.waivers", "training.learning.cmi5.rules"),
    *("platform.events.queries", "platform.webhooks.actions", "web.player.pages"),
)


def test_a_code_is_registered_once() -> None:
    before = dict(CODES)
    with pytest.raises(ValueError, match="tests registers email_exists, which users has registered"):
        register("tests", codes("conflict", 409, email_exists="Another sentence."))
    assert before == CODES


def test_a_feature_registers_its_codes_when_it_is_imported_and_the_order_is_one() -> None:
    script = """
import importlib, sys
from trilha.core.errors import CODES
print(*CODES)
for module in sys.argv[1:]:
    importlib.import_module(f"trilha.{module}")
print(*CODES)
"""
    for modules in (MODULES, MODULES[::-1]):
        command = [sys.executable, "-c", script, *modules]
        printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
        before, after = map(str.split, printed)
        assert not {"email_exists", "invalid_cpf", "already_enrolled", "course_not_found"} & set(before)
        assert after == list(CODES)


def test_codes_about_a_member_are_those_of_a_validation_error() -> None:
    assert {code.type for code in FIELD_CODES.values()} == {"validation_error"}
    assert {code.status for code in FIELD_CODES.values()} == {400}
    assert "malformed_json" not in FIELD_CODES
    assert FIELD_CODES.items() <= CODES.items()


@pytest.mark.parametrize("code", sorted(CODES.keys() - FIELD_CODES.keys()))
def test_every_code_has_an_exception_of_its_type(code: str) -> None:
    error = error_of(code)
    assert (error.code, error.type, error.status) == (code, CODES[code].type, CODES[code].status)
    assert type(error) is not ApiError


def test_the_exception_of_a_code_keeps_its_detail() -> None:
    error = error_of("regulatory_profile_missing", missing_fields=["cpf"])
    assert isinstance(error, errors.BusinessRule)
    assert error.detail == {"missing_fields": ["cpf"]}
    with pytest.raises(KeyError):
        error_of("on_a_whim")
