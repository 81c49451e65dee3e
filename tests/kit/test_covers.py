"""Covers that are drawn from a title: the same for the same title, safe for any title, and small."""

import re
from xml.etree import ElementTree

import pytest

from kit.test_drawing import drawn
from trilha.kit import covers
from trilha.kit.icons import shapes_of

EVIL = """<i>"&' onload=x"""
TITLES = ["NR-35 Trabalho em altura", "LGPD para todos", "A", "", "  ", "!?", "日本語", "🙂", EVIL, "X" * 120]


@pytest.mark.parametrize("title", TITLES)
@pytest.mark.parametrize("small", [False, True])
def test_any_title_has_a_cover(title: str, small: bool) -> None:
    drawing = covers.draw(title, small=small)
    root = ElementTree.fromstring(drawing)
    assert root.get("aria-hidden") == "true"
    assert not {"style", "fill", "onload"} & {name for each in root.iter() for name in each.attrib}
    assert len(drawing) < 6000
    assert len(covers.draw(title, small=True)) < 1200


def test_a_title_always_has_the_same_cover_and_others_have_others() -> None:
    covers.draw.cache_clear()
    first = covers.draw("Pintura automotiva")
    covers.draw.cache_clear()
    assert covers.draw("Pintura automotiva") == first
    patterns = {re.sub(r"<text.*", "", covers.draw(f"Curso {number}")) for number in range(100)}
    assert len(patterns) > 60
    tones = {re.findall(r'data-tone="(\d)"', each)[0] for each in patterns}
    assert tones == {"1", "2", "3", "4"}


@pytest.mark.parametrize(
    ("title", "mark"),
    [
        ("NR-35 Trabalho em altura", "NR-35"),
        ("Formação ISO 27001", "ISO 27001"),
        ("CIPA", "CIPA"),
        ("História da empresa", "HE"),
        ("TREINAMENTO DE PINTURA", "TP"),
        ("o uso do torno", "UT"),
        ("Jardinagem", "J"),
    ],
)
def test_letters_in_the_middle(title: str, mark: str) -> None:
    assert f">{mark}</text>" in covers.draw(title, "")


@pytest.mark.parametrize(
    ("title", "sign", "icon"),
    [
        ("Combate a INCÊNDIOS", "", "flame"),
        ("LGPD para todos", "route", "lock-keyhole"),
        ("Pintura automotiva", "route", "route"),
        ("!?", "", "book-open"),
    ],
)
def test_an_icon_in_the_middle(title: str, sign: str, icon: str) -> None:
    assert shapes_of(icon) in covers.draw(title, sign)


def test_every_icon_of_a_subject_is_there() -> None:
    assert all(shapes_of(icon) for _, icon in covers._ICONS)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("/thumbnails/a/b.webp", True),
        ("//evil.example/x.webp", False),
        ("https://evil.example/x.webp", False),
        ("", False),
        (None, False),
    ],
)
def test_an_uploaded_cover_is_shown_if_this_server_has_it(url: str | None, shown: bool) -> None:
    page = drawn("{{ ui.cover('Marcenaria', url) }}", url=url)
    assert ("<img" in page, "<svg" in page) == (shown, not shown)
    assert "evil" not in page
