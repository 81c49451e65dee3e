"""The codes that the API reference lists for a body are those that its parsing returns."""

from trilha.core.web.possible_problems import possible_problems
from trilha.people.users.schema import NewUser
from trilha.training.enrollments.schema import BulkEnrollments


def test_names_each_member_with_what_can_be_wrong_with_it() -> None:
    found = set(possible_problems(NewUser))
    assert found >= {
        ("email", "required"),
        ("email", "invalid_email"),
        ("password", "too_short"),
        ("business_unit_id", "invalid_uuid"),
        ("birth_date", "underage"),
        ("cnh.ear", "invalid_type"),
        ("cnh.validade", "cnh_expired"),
    }
    assert ("department", "too_short") not in found


def test_looks_into_lists() -> None:
    assert ("enrollments.0.user_id", "invalid_uuid") in set(possible_problems(BulkEnrollments))
