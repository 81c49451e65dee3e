"""Due dates in words, by days in the company's time zone."""

from datetime import UTC, datetime

import pytest

from trilha.kit.page import Locale, Page
from trilha.kit.rendering import _PAGE, environment

# 22:30 on November 27 in São Paulo.
NOW = datetime(2026, 11, 28, 1, 30, tzinfo=UTC)


def due(when: str, locale: Locale) -> str:
    token = _PAGE.set(Page(locale=locale, now=NOW))
    try:
        return environment().from_string("{{ ui.due(when) }}").render(when=when)
    finally:
        _PAGE.reset(token)


@pytest.mark.parametrize(
    ("when", "portuguese", "english"),
    [
        ("2026-11-28T02:59:59.999Z", "Vence hoje", "Due today"),
        ("2026-11-28T03:00:00.000Z", "Vence amanhã", "Due tomorrow"),
        ("2026-11-30T12:00:00.000Z", "Vence em 3 dias", "Due in 3 days"),
        ("2026-12-12T02:59:59.000Z", "Vence em 14 dias", "Due in 14 days"),
        ("2026-12-12T03:00:00.000Z", "Vence em 12/12/2026", "Due Dec 12, 2026"),
        ("2026-11-28T01:30:00.000Z", "Venceu hoje", "Was due today"),
        ("2026-11-27T02:00:00.000Z", "Venceu ontem", "Was due yesterday"),
        ("2026-11-25T12:00:00.000Z", "Venceu há 2 dias", "Was due 2 days ago"),
        ("2026-10-25T12:00:00.000Z", "Venceu em 25/10/2026", "Was due on Oct 25, 2026"),
    ],
)
def test_a_due_date_in_words(when: str, portuguese: str, english: str) -> None:
    assert f">{portuguese}</time>" in due(when, "pt-BR")
    assert f">{english}</time>" in due(when, "en")


def test_the_title_has_the_exact_time() -> None:
    assert 'title="30/11/2026 09:00"' in due("2026-11-30T12:00:00.000Z", "pt-BR")
