"""When an attempt follows another, and what is kept of an answer."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trilha.platform.webhooks import rules
from trilha.platform.webhooks.delivery import retry_schedule

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("attempts", "shortest", "longest"),
    [(1, 5, 6), (2, 30, 31.2), (3, 120, 124.8), (4, 600, 624), (5, 3600, 3744), (6, 21_600, 22_464)],
)
def test_each_delay_and_its_jitter(attempts: int, shortest: float, longest: float) -> None:
    assert retry_schedule.delay_after(attempts, 0, None) == shortest
    nearly = retry_schedule.delay_after(attempts, 0.999999, None)
    assert nearly is not None
    assert longest - 0.01 < nearly < longest


@pytest.mark.parametrize("attempts", [7, 8, 100])
def test_there_is_no_eighth(attempts: int) -> None:
    assert retry_schedule.delay_after(attempts, 0, 5.0) is None


def test_all_of_them_take_as_long_as_promised() -> None:
    def total(chance: float) -> float:
        return sum(retry_schedule.delay_after(n, chance, None) or 0 for n in range(1, 7))

    assert total(0) == 7 * 3600 + 12 * 60 + 35
    assert total(0.9999999) <= 7.5 * 3600


@pytest.mark.parametrize(
    ("attempts", "asked", "delay"),
    [(1, 1, 5), (1, 20, 20), (1, 90, 30), (5, 10_000, 10_000), (5, 1e9, 21_600), (6, 1e9, 21_600)],
)
def test_a_receiver_may_ask_for_more_up_to_the_next_step(attempts: int, asked: float, delay: float) -> None:
    assert retry_schedule.delay_after(attempts, 0, asked) == delay


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("120", 120),
        (" 7 ", 7),
        ("0", 0),
        ("-1", None),
        ("1e9", None),
        ("9" * 400, 999_999_999),
        ("soon", None),
        ("", None),
        (None, None),
        ("Sat, 21 Nov 2026 12:01:00 GMT", 60),
        ("Sat, 21 Nov 2026 11:59:00 GMT", None),
        ("Sat, 21 Nov 99999 11:59:00 GMT", None),
        ("١٢", None),
    ],
)
def test_retry_after(text: str | None, seconds: float | None) -> None:
    assert retry_schedule.parse_retry_after(text, NOW) == seconds


@given(st.text())
def test_no_retry_after_breaks_it(text: str) -> None:
    seconds = retry_schedule.parse_retry_after(text, NOW)
    assert seconds is None or seconds >= 0


@given(st.binary(max_size=40_000))
def test_any_body_can_be_stored(body: bytes) -> None:
    kept = rules.redact(body, [])
    assert "\x00" not in kept
    assert len(kept) <= rules.BODY_BYTES


def test_a_secret_in_an_answer_is_not_kept() -> None:
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw7dJY2oLyXg0="
    kept = rules.redact(f"I got {secret}, {secret[6:]}".encode(), [secret])
    assert kept == "I got whsec_***, ***"
    escaped = "whsec_a/b+c=".replace("/", "\\/")
    assert rules.redact(escaped.encode(), ["whsec_a/b+c="]) == "whsec_***"


@given(st.integers(0, 60))
def test_nor_half_of_one_that_stands_across_the_end(before: int) -> None:
    secret = "whsec_" + "S" * 44
    body = b"." * (rules.BODY_BYTES - before) + secret.encode() + b"."
    assert "S" not in rules.redact(body, [secret])
