"""The functions that templates call: texts in the reader's language, components, and the options
of a select.
"""

from uuid import UUID

import pytest
from jinja2 import UndefinedError

from trilha.kit.page import Locale, Page
from trilha.kit.rendering import _PAGE, environment

EVIL = """<i>"x" & 'y'</i>"""
SAFE = "&lt;i&gt;&#34;x&#34; &amp; &#39;y&#39;&lt;/i&gt;"


def drawn(source: str, locale: Locale = "en", **values: object) -> str:
    token = _PAGE.set(Page(locale=locale))
    try:
        return environment().from_string(source).render(**values)
    finally:
        _PAGE.reset(token)


def test_options() -> None:
    unit = UUID("1b4e28ba-2fa1-41d2-883f-0016d3cca427")
    source = "{{ ui.options_of(options, chosen) }}"
    assert drawn(source, options=[(unit, EVIL), ("b", "B")], chosen=str(unit)).strip() == (
        f'<option value="{unit}" selected>{SAFE}</option>\n<option value="b">B</option>'
    )
    assert (
        drawn(source, options=[(EVIL, 3)], chosen=EVIL).strip()
        == f'<option value="{SAFE}" selected>3</option>'
    )
    assert drawn(source, options=[], chosen="").strip() == ""


@pytest.mark.parametrize(("locale", "said"), [("en", "Sign out"), ("pt-BR", "Sair")])
def test_words(locale: Locale, said: str) -> None:
    source = "{% for each in '12' %}{{ _('Sign out') }}{% if not loop.last %}, {% endif %}{% endfor %}"
    assert drawn(source, locale) == f"{said}, {said}"


def test_what_is_put_into_words_is_escaped() -> None:
    assert drawn("{{ _('By %(name)s, 100 %%', name=name) }}", name=EVIL) == f"By {SAFE}, 100 %"
    assert drawn("{% trans %}100 % of {{ name }}{% endtrans %}", name=EVIL) == f"100 % of {SAFE}"
    assert drawn("{{ _(message) }}", message="50 %% off") == "50 % off"


def test_a_macro_escapes_wherever_it_is_called() -> None:
    macro = "{% macro cell(words) %}<td>{{ words }}{{ caller() if caller is defined }}</td>{% endmacro %}"
    assert drawn(f"{macro}{{{{ cell(evil) }}}}", evil=EVIL) == f"<td>{SAFE}</td>"
    called = "{% for one in [evil] %}{% call cell('') %}{{ one }}{% endcall %}{% endfor %}"
    assert drawn(macro + called, evil=EVIL) == f"<td>{SAFE}</td>"


def test_a_component_that_is_not_there() -> None:
    with pytest.raises(UndefinedError, match="nothing"):
        drawn("{{ ui.nothing() }}")
