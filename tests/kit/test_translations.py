"""Messages in the reader's language."""

import pytest

from trilha.kit import NC_, Locale
from trilha.kit.translations import translations


@pytest.mark.parametrize(("locale", "expected"), [("en", "Expired"), ("pt-BR", "Vencido")])
def test_a_message_with_a_context_is_translated_later(locale: Locale, expected: str) -> None:
    assert translations(locale).gettext(NC_("certificate", "Expired")) == expected


def test_a_message_that_no_catalogue_has_is_shown_without_its_context() -> None:
    assert translations("pt-BR").gettext(NC_("nowhere", "Unheard of")) == "Unheard of"
