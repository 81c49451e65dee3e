"""Every template compiles, has only translated texts, and follows the content security policy."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from docs.messages import problems

from trilha.kit.icons import icon
from trilha.kit.rendering import environment
from trilha.kit.translations import ROOMS

TEMPLATES = [path for path in sorted(ROOMS.rglob("*.html")) if "node_modules" not in path.parts]
# Mails have a template for each language and their own style. The API reference is not one of the kit's
# pages, and the demo's course content is a package.
PAGES = [
    path
    for path in TEMPLATES
    if path.relative_to(ROOMS).parts[:2] not in (("platform", "mail"), ("web", "reference"), ("cli", "demo"))
]
# Scripts are files; their data is in elements that the browser does not run.
SCRIPT = r"""<script(?! src=| type="module" src=| type="application/json")"""
JINJA = re.compile(r"{% block shell %}\w+{% endblock %}|{#.*?#}|{%.*?%}|{{.*?}}", re.DOTALL)
ATTRIBUTE = re.compile(r"""[\w-]+="[^"]*\"""")  # the part of a tag that a macro writes
# These are the same in every language.
NAMES = {"Trilha", "PT", "EN"}
SPOKEN = {"title", "placeholder", "aria-label", "alt", "label"}


def test_catalogues_are_complete() -> None:
    assert list(problems()) == []


class Words(HTMLParser):
    """Text and spoken attributes that a template contains as they are."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_data(self, data: str) -> None:
        data = ATTRIBUTE.sub("", data)
        self.found += [word for word in re.findall(r"[^\W\d_]{2,}", data) if word not in NAMES]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in SPOKEN and value:
                self.handle_data(value)


def words(template: str) -> list[str]:
    parser = Words()
    parser.feed(JINJA.sub(" ", template))
    parser.close()
    return parser.found


def test_words_are_found() -> None:
    assert words("<p>Olá {{ name }}</p>") == ["Olá"]
    assert words('<a href="{{ x }}" title="Sair">{{ _("Sign out") }}</a>') == ["Sair"]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOMS)))
def test_a_template(path: Path) -> None:
    source = path.read_text()
    assert words(source) == [], "to be said with _()"
    forbidden = re.search(rf"\sstyle=|<style|\son[a-z]+=|hx-on|{SCRIPT}", source)
    assert not forbidden, "by the policy"
    assert "|safe" not in source.replace(" ", ""), "escape it, or make it a component"
    environment().parse(source)
    for name in re.findall(r"""icon\("([\w-]+)"\)""", source):
        assert icon(name)
