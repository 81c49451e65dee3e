"""Rules about courses and uploaded files, without a database."""

import pytest

from trilha.training.courses import rules
from trilha.training.courses.media import media_type_of


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Direção segura, nível 2", "direcao-segura-nivel-2"),
        ("NR-35 — Altura!", "nr-35-altura"),
        ("安全", "course"),
        ("a" * 119 + " b", "a" * 119),
    ],
)
def test_a_slug_is_made_of_a_title(title: str, slug: str) -> None:
    assert rules.slug_of(title) == slug


def test_a_slug_that_is_taken_gets_a_number() -> None:
    assert rules.free_slug("nr-35", set()) == "nr-35"
    assert rules.free_slug("nr-35", {"nr-35", "nr-35-2"}) == "nr-35-3"
    assert rules.free_slug("a" * 120, {"a" * 120}) == "a" * 118 + "-2"


def test_minutes_are_shared_out_whole() -> None:
    assert rules.shares(10, 3) == [4, 3, 3]
    assert rules.shares(0, 2) == [0, 0]
    assert rules.shares(10, 0) == []


@pytest.mark.parametrize(
    ("which", "position", "order"),
    [("a", 3, "bca"), ("c", 1, "cab"), ("b", 2, "abc"), ("a", 99, "bca"), ("c", -1, "cab")],
)
def test_a_module_is_moved(which: str, position: int, order: str) -> None:
    assert "".join(rules.move("abc", which, position)) == order


def test_parts_of_a_new_version_follow_those_of_the_same_identifier() -> None:
    assert rules.successors({1: "a", 2: "b"}, ["b", "c"]) == {2: "b"}
    # If two modules show the same part, one of them continues with it.
    assert rules.successors({1: "a", 2: "a"}, ["a", "b"]) == {1: "a"}
    assert rules.successors({1: "a"}, ["b", "c"]) == {}
    # Authoring tools give a single part a new identifier in each export.
    assert rules.successors({1: "a"}, ["b"]) == {1: "b"}


@pytest.mark.parametrize(
    ("first", "media_type"),
    [
        (b"\x00\x00\x00\x18ftypmp42\x00\x00", "video/mp4"),
        (b"\x1a\x45\xdf\xa3\x01\x00\x42\x82\x84webm", "video/webm"),
        (b"\x1a\x45\xdf\xa3\x01\x00\x42\x82\x88matroska", None),
        (b"%PDF-1.7\n", "application/pdf"),
        (b"\xef\xbb\xbfWEBVTT\n", "text/vtt"),
        (b"WEBVTT", "text/vtt"),
        (b"WEBVTTX", None),
        (b"<html>", None),
        (b"", None),
    ],
)
def test_a_file_is_what_its_bytes_say(first: bytes, media_type: str | None) -> None:
    assert media_type_of(first) == media_type
