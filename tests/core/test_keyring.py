"""Encryption, fingerprints and master keys."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trilha.core.secrets import (
    Keyring,
    UnreadableSecret,
    load_keyring,
    parse_keyring,
)

masters = st.binary(min_size=32, max_size=32)
texts = st.text()
RING = Keyring([b"k" * 32])


@given(texts, st.lists(st.uuids() | st.text(st.characters(codec="utf-8", exclude_characters="\x1f"))))
def test_what_is_sealed_opens_in_its_place(text: str, context: list[object]) -> None:
    sealed = RING.seal(text, *context)
    assert RING.open(sealed, *context) == text
    assert RING.seal(text, *context) != sealed
    if len(text) > 3:
        assert text.encode() not in sealed


@given(texts, st.text(min_size=1), texts)
def test_it_opens_nowhere_else(text: str, here: str, there: str) -> None:
    sealed = RING.seal(text, here)
    for context in ((here, there), (), (f"{here}x",)) + (((there,),) if there != here else ()):
        with pytest.raises(UnreadableSecret):
            RING.open(sealed, *context)


@given(texts, st.integers(0), st.integers(1, 255))
def test_damage_shows(text: str, place: int, change: int) -> None:
    sealed = bytearray(RING.seal(text, "here"))
    sealed[place % len(sealed)] ^= change
    with pytest.raises(UnreadableSecret):
        RING.open(bytes(sealed), "here")


@given(st.binary(max_size=60))
def test_other_bytes_open_nothing(sealed: bytes) -> None:
    with pytest.raises(UnreadableSecret):
        RING.open(sealed, "here")


@given(masters, masters, texts)
def test_a_newer_key_seals_and_older_ones_still_open(old: bytes, new: bytes, text: str) -> None:
    before, both = Keyring([old]), Keyring([new, old])
    assert both.open(before.seal(text, "here"), "here") == text
    # An API key still works after a new master key.
    assert both.fingerprint(text) == before.fingerprint(text)
    if old != new:
        with pytest.raises(UnreadableSecret):
            before.open(both.seal(text, "here"), "here")


@given(st.lists(st.binary(max_size=8), max_size=4), st.lists(st.binary(max_size=8), max_size=4))
def test_a_mac_is_of_its_parts_and_their_borders(one: list[bytes], other: list[bytes]) -> None:
    assert (RING.mac(*one) == RING.mac(*other)) is (one == other)


def test_hashes_stay_the_same_when_their_keys_are_sealed_again() -> None:
    old, both, new = Keyring([b"o" * 32]), Keyring([b"n" * 32, b"o" * 32]), Keyring([b"n" * 32])
    both.use_hash_keys(old.seal_hash_keys())
    new.use_hash_keys(both.seal_hash_keys())
    assert (new.fingerprint("key"), new.mac(b"a", b"b")) == (old.fingerprint("key"), old.mac(b"a", b"b"))
    with pytest.raises(UnreadableSecret):
        new.use_hash_keys(old.seal_hash_keys())


def test_a_signature_is_accepted_while_its_master_key_is_at_hand() -> None:
    old, both, new = Keyring([b"o" * 32]), Keyring([b"n" * 32, b"o" * 32]), Keyring([b"n" * 32])
    signature = old.sign(b"link", b"1")
    assert [ring.is_signed(signature, b"link", b"1") for ring in (old, both, new)] == [True, True, False]
    assert not both.is_signed(signature, b"link", b"2")
    assert new.is_signed(both.sign(b"link", b"1"), b"link", b"1")


def test_each_purpose_has_a_key_of_its_own() -> None:
    assert RING.mac(b"x") != RING.fingerprint("x")
    assert RING.fingerprint("x") != Keyring([b"l" * 32]).fingerprint("x")


def test_the_master_key_is_made_once_for_the_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "master.key"
    first = load_keyring(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert load_keyring(path).open(first.seal("text")) == "text"
    assert os.listdir(tmp_path) == ["master.key"]


@pytest.mark.parametrize("text", ["", "\n", "00", "zz" * 32, "00" * 33, "00" * 32 + "\n00"])
def test_a_master_key_of_another_form_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="hex"):
        parse_keyring(text)
