"""Renders a document that was checked as HTML. Every text and attribute is escaped.

What depends on the reader's language is a private character with a name, which `fill_words` replaces: the
HTML is stored once for all readers.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from trilha.training.courses.lessons.schema import Document

# Changes whenever the same text gives other HTML, so that stored HTML is rendered again.
VERSION = 3
MAX_HTML = 4 * 1024 * 1024  # characters
# A name between these is a word in the reader's language. No text contains them: see `rules.clean`.
_BEGIN, _END = "\ue000", "\ue001"
_WORD = re.compile(f"{_BEGIN}([a-z_]+){_END}")
# The names of such words.
WORDS = (
    *("info", "warning", "success", "check", "question", "select_all", "right", "wrong", "right_option"),
    *("play", "youtube", "vimeo", "file"),
)
_WATCH = {"youtube": "https://www.youtube.com/watch?v=", "vimeo": "https://vimeo.com/"}
_TAGS = {"bold": "strong", "italic": "em", "strike": "s", "code": "code"}


class TooComplex(Exception):
    """The document would become too much HTML."""


def escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def fill_words(html: str, words: Mapping[str, str]) -> str:
    """Replaces the marked words by those in the reader's language, given by name."""
    return _WORD.sub(lambda match: escape(words[match[1]]), html)


def render_document(document: Document) -> str:
    """Raises TooComplex."""
    html = _Renderer().render_all(document)
    if len(html) > MAX_HTML:
        raise TooComplex
    return html


def render_text(body: str) -> str:
    """Returns the unformatted text in paragraphs."""
    return "".join(f"<p>{escape(part)}</p>\n" for part in body.split("\n\n") if part.strip())


def _word(name: str) -> str:
    return f"{_BEGIN}{name}{_END}"


class _Renderer:
    """Renders one document. Numbers its questions."""

    def __init__(self) -> None:
        self._questions = 0

    def render_all(self, node: Document) -> str:
        return "".join(map(self.render, node.get("content", ())))

    def render(self, node: Document) -> str:
        attributes: dict[str, Any] = node.get("attrs", {})
        return _RENDERERS[node["type"]](self, node, attributes)

    def _text(self, node: Document, _: Any) -> str:
        html = escape(node["text"])
        for mark in reversed(node.get("marks", ())):
            if mark["type"] == "link":
                href = escape(mark["attrs"]["href"])
                html = f'<a href="{href}" target="_blank" rel="noopener noreferrer">{html}</a>'
            else:
                tag = _TAGS[mark["type"]]
                html = f"<{tag}>{html}</{tag}>"
        return html

    def _paragraph(self, node: Document, _: Any) -> str:
        return f"<p>{inner}</p>\n" if (inner := self.render_all(node)) else ""

    def _heading(self, node: Document, attributes: Any) -> str:
        tag = f"h{attributes['level']}"
        return f"<{tag}>{inner}</{tag}>\n" if (inner := self.render_all(node)) else ""

    def _list(self, node: Document, attributes: Any) -> str:
        if node["type"] == "bulletList":
            return f"<ul>\n{self.render_all(node)}</ul>\n"
        start = attributes["start"]
        opening = "<ol>" if start == 1 else f'<ol start="{start}">'
        return f"{opening}\n{self.render_all(node)}</ol>\n"

    def _list_item(self, node: Document, _: Any) -> str:
        first, *others = node["content"]
        # A short item is text alone, without the space of a paragraph.
        if all(each["type"] in ("bulletList", "orderedList") for each in others):
            return f"<li>{self.render_all(first)}{''.join(map(self.render, others))}</li>\n"
        return f"<li>{self.render_all(node)}</li>\n"

    def _code_block(self, node: Document, _: Any) -> str:
        return f'<pre tabindex="0"><code>{self.render_all(node)}</code></pre>\n'

    def _image(self, _: Document, attributes: Any) -> str:
        return f'<img src="media/{attributes["file"]}" alt="{escape(attributes["alt"])}" loading="lazy">\n'

    def _video(self, _: Document, attributes: Any) -> str:
        tracks = "".join(
            f'<track kind="captions" src="media/{track["file"]}" srclang="{escape(track["language"])}"'
            f' label="{escape(track["language"])}"{" default" if n == 0 else ""}>'
            for n, track in enumerate(attributes["captions"])
        )
        title = escape(attributes["title"])
        return (
            f'<figure class="lessonvideo"><video controls playsinline preload="metadata" aria-label="{title}"'
            f' src="media/{attributes["file"]}">{tracks}</video><figcaption>{title}</figcaption></figure>\n'
        )

    def _embed(self, _: Document, attributes: Any) -> str:
        provider, video = attributes["provider"], attributes["video"]
        title = escape(attributes["title"])
        return (
            f'<div class="embed" data-provider="{provider}" data-video="{video}" data-title="{title}">'
            f'<p class="embed__title">{title}</p><p class="embed__note">{_word(provider)}</p>'
            f'<p><a class="btn embed__play" href="{_WATCH[provider]}{video}" target="_blank"'
            f' rel="noopener noreferrer">{_word("play")}</a></p></div>\n'
        )

    def _attachment(self, _: Document, attributes: Any) -> str:
        name = escape(attributes["name"])
        return (
            f'<p class="attachment"><a href="media/{attributes["file"]}" target="_blank" rel="noopener">'
            f'<span class="attachment__kind">{_word("file")}</span> {name}</a></p>\n'
        )

    def _callout(self, node: Document, attributes: Any) -> str:
        kind = attributes["kind"]
        return (
            f'<div class="callout callout--{kind}" role="note"><p class="callout__label">{_word(kind)}</p>\n'
            f"{self.render_all(node)}</div>\n"
        )

    def _table(self, node: Document, _: Any) -> str:
        first, *others = node["content"]
        head = ""
        if all(cell["type"] == "tableHeader" for cell in first["content"]):
            head = f"<thead>\n{self._row(first, 'col')}</thead>\n"
        else:
            others = [first, *others]
        rows = "".join(self._row(row, "row") for row in others)
        body = f"<tbody>\n{rows}</tbody>\n" if rows else ""
        return f'<div class="tablebox" tabindex="0"><table>\n{head}{body}</table></div>\n'

    def _row(self, row: Document, scope: str) -> str:
        cells = "".join(self._cell(cell, scope) for cell in row["content"])
        return f"<tr>{cells}</tr>\n"

    def _cell(self, cell: Document, scope: str) -> str:
        inner = "".join(
            self.render_all(block) if block["type"] == "paragraph" else self.render(block).strip()
            for block in cell["content"]
        )
        if cell["type"] == "tableHeader" and inner:
            return f'<th scope="{scope}">{inner}</th>'
        return f"<td>{inner}</td>"

    def _accordion(self, node: Document, _: Any) -> str:
        title, *blocks = node["content"]
        inner = "".join(map(self.render, blocks))
        return (
            f'<details class="accordion"><summary>{self.render_all(title)}</summary>'
            f'<div class="accordion__body">\n{inner}</div></details>\n'
        )

    def _question(self, node: Document, attributes: Any) -> str:
        """A question works without scripts: which verdict shows is decided by the style sheet."""
        self._questions += 1
        many = attributes["kind"] == "multiple"
        kind = "checkbox" if many else "radio"
        prompt, *others = node["content"]
        options = "".join(
            f'<li class="selfcheck__option{" is-right" if option["attrs"]["right"] else ""}"><label>'
            f'<input type="{kind}" name="selfcheck-{self._questions}"> <span>{self.render_all(option)}</span>'
            f"{self._mark(option)}</label></li>\n"
            for option in others
            if option["type"] == "questionOption"
        )
        feedback = "".join(
            f"<p>{self.render_all(each)}</p>" for each in others if each["type"] == "questionFeedback"
        )
        hint = f'<p class="selfcheck__hint">{_word("select_all")}</p>\n' if many else ""
        return (
            f'<fieldset class="selfcheck"><legend><span class="selfcheck__label">{_word("question")}</span> '
            f"{self.render_all(prompt)}</legend>\n{hint}<ul>\n{options}</ul>\n"
            f'<details class="selfcheck__answer"><summary>{_word("check")}</summary>'
            f'<p class="selfcheck__right">{_word("right")}</p>'
            f'<p class="selfcheck__wrong">{_word("wrong")}</p>{feedback}</details></fieldset>\n'
        )

    def _mark(self, option: Document) -> str:
        if not option["attrs"]["right"]:
            return ""
        return f' <span class="selfcheck__mark">({_word("right_option")})</span>'


def _wrap(before: str, after: str) -> Callable[[_Renderer, Document, Any], str]:
    return lambda renderer, node, _: f"{before}{renderer.render_all(node)}{after}"


_RENDERERS: Mapping[str, Callable[[_Renderer, Document, Any], str]] = {
    "text": _Renderer._text,
    "hardBreak": lambda *_: "<br>\n",
    "paragraph": _Renderer._paragraph,
    "heading": _Renderer._heading,
    "bulletList": _Renderer._list,
    "orderedList": _Renderer._list,
    "listItem": _Renderer._list_item,
    "blockquote": _wrap("<blockquote>\n", "</blockquote>\n"),
    "codeBlock": _Renderer._code_block,
    "horizontalRule": lambda *_: "<hr>\n",
    "image": _Renderer._image,
    "video": _Renderer._video,
    "embed": _Renderer._embed,
    "attachment": _Renderer._attachment,
    "callout": _Renderer._callout,
    "table": _Renderer._table,
    "accordion": _Renderer._accordion,
    "question": _Renderer._question,
}
