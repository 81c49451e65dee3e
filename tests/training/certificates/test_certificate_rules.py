"""The code, the status and the notices of a certificate."""

from typing import Any

import pytest

from trilha.core.types import InvalidValue, Timestamp
from trilha.training.certificates import rules
from trilha.training.certificates.schema import Reason

CODE = "7K2M9QXR4TVBH3NC"


def test_a_code_has_sixteen_characters_and_comes_once() -> None:
    codes = {rules.new_code() for _ in range(10_000)}
    assert len(codes) == 10_000
    assert {len(each) for each in codes} == {16}
    assert {character for each in codes for character in each} == set(rules.ALPHABET)
    assert all(rules.parse_code(each) == each for each in list(codes)[:100])


def test_every_bit_of_a_code_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    codes = {b"\x00" * 10: "0" * 16, b"\xff" * 10: "Z" * 16, b"\x08" + b"\x00" * 9: "1" + "0" * 15}
    for drawn, code in codes.items():
        monkeypatch.setattr(rules.secrets, "token_bytes", lambda _, drawn=drawn: drawn)
        assert rules.new_code() == code


@pytest.mark.parametrize(
    "typed",
    [
        CODE,
        "7K2M-9QXR-4TVB-H3NC",
        "7k2m-9qxr-4tvb-h3nc",
        " 7K2M 9QXR 4TVB H3NC ",
        "7K2M9QXR--4TVBH3NC",
        "7-K-2-M-9-Q-X-R-4-T-V-B-H-3-N-C",
        "\t7K2M-9QXR\n4TVB-H3NC",
    ],
)
def test_a_code_is_read_however_it_is_typed(typed: str) -> None:
    assert rules.parse_code(typed) == CODE


@pytest.mark.parametrize("typed", ["OIL0-oil0-0000-1111", "0110-0110-0000-1111", "0i10-ol10-0000-iLiL"])
def test_lookalikes_are_read_as_what_they_look_like(typed: str) -> None:
    assert rules.parse_code(typed) == "0110011000001111"


@pytest.mark.parametrize(
    "typed",
    [
        *("", "-", "7K2M-9QXR-4TVB", f"{CODE}0", "7K2M-9QXR-4TVB-H3NU", "7K2M-9QXR-4TVB-H3N\u00c7"),
        *("x" * 10_000, "\uff17K2M-9QXR-4TVB-H3NC", "7K2M-9QXR-4TVB-H3N\u0000", "-" * 100 + CODE),
    ],
)
def test_what_is_no_code_is_none(typed: str) -> None:
    assert rules.parse_code(typed) is None


def test_a_code_is_shown_in_fours() -> None:
    assert rules.format_code(CODE) == "7K2M-9QXR-4TVB-H3NC"


NOW = "2026-11-22T12:00:00.000Z"
LATER, EARLIER = "2026-11-22T12:00:00.001Z", "2026-11-22T11:59:59.999Z"


@pytest.mark.parametrize(
    ("revoked", "expires", "status"),
    [
        (None, None, "VALID"),
        (None, LATER, "VALID"),
        (None, NOW, "EXPIRED"),
        (None, EARLIER, "EXPIRED"),
        (EARLIER, None, "REVOKED"),
        (EARLIER, LATER, "REVOKED"),
        (NOW, EARLIER, "REVOKED"),
    ],
)
def test_a_status(revoked: Any, expires: Any, status: str) -> None:
    assert rules.status_of(revoked, expires, Timestamp(NOW)) == status


@pytest.mark.parametrize(
    ("told", "expires", "following"),
    [
        ("ISSUED", None, (None, None)),
        ("ISSUED", "2027-11-22T12:00:00.000Z", ("EXPIRING", "2027-10-23T12:00:00.000Z")),
        ("EXPIRING", "2027-11-22T12:00:00.000Z", ("EXPIRED", "2027-11-22T12:00:00.000Z")),
        ("EXPIRED", "2027-11-22T12:00:00.000Z", (None, None)),
    ],
)
def test_what_follows_upon_a_notice(told: Any, expires: Any, following: Any) -> None:
    assert rules.next_notice(told, Timestamp(expires) if expires else None) == following


@pytest.mark.parametrize("text", ["", "  ", "x" * 501, "a\x00b"])
def test_a_reason_that_is_none(text: str) -> None:
    with pytest.raises(InvalidValue):
        Reason.parse(text)


def test_a_reason_is_one_line() -> None:
    assert Reason.parse("  Fraud,\n proven ") == "Fraud, proven"
