"""The format of an API key."""

import string

from hypothesis import given
from hypothesis import strategies as st

from trilha.access.api_keys import rules

BASE62 = string.digits + string.ascii_letters


def test_is_a_prefix_and_40_letters_or_digits() -> None:
    key = rules.generate("trl_live_")
    assert key.startswith("trl_live_")
    assert len(key) == 49
    assert set(key[9:]) <= set(BASE62)
    assert len({rules.generate("trl_live_") for _ in range(100)}) == 100


def test_the_checksum_is_crc_32_in_base_62() -> None:
    assert rules._checksum("") == "000000"
    assert rules._checksum("123456789") == "3jZRME"  # CRC-32's check value, 0xCBF43926


@given(st.integers(0, 39), st.sampled_from(BASE62))
def test_one_wrong_letter_shows(place: int, letter: str) -> None:
    key = rules.generate("trl_live_")
    at = 9 + place
    typed = key[:at] + letter + key[at + 1 :]
    assert rules.is_well_formed(typed, "trl_live_") is (typed == key)


@given(st.text() | st.text().map("trl_live_".__add__))
def test_other_text_is_no_key(text: str) -> None:
    assert not rules.is_well_formed(text, "trl_live_")


def test_a_key_with_another_prefix_is_no_key() -> None:
    assert not rules.is_well_formed(rules.generate("trl_test_"), "trl_live_")


def test_the_hint_is_of_no_use() -> None:
    key = rules.generate("trl_live_")
    assert rules.hint(key, "trl_live_") == f"trl_live_…{key[-4:]}"
