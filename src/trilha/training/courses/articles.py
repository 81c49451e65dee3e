"""Converts an article's Markdown to HTML that is safe to show.

HTML in the text is escaped, links may only lead to the web, and images must be files of ours.

A few characters of Markdown can become a lot of HTML and take long. This module limits the output; the
sandbox limits time and memory: see `rendering`.
"""

import re
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_block import StateBlock, table
from markdown_it.token import Token

_LINKS = re.compile(r"(https?|mailto|tel):", re.IGNORECASE)
# Authors write: ![description](media/{id}).
_IMAGE = re.compile(r"media/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})")
_DEEPEST = 6
# Changes whenever the same text gives other HTML, so that stored HTML is rendered again.
VERSION = 2
MAX_NESTING = 20
MAX_COLUMNS = 50
MAX_CELLS = 10_000  # of all tables together
# Brackets may start a link, and `*`, `_` and `~` may start or end emphasis: these take the longest to parse.
MAX_BRACKETS = 10_000
MAX_MARKS = 50_000
MAX_HTML = 4 * 1024 * 1024  # characters


class TooComplex(Exception):
    """The text would become too much HTML."""


class _Renderer(RendererHTML):
    """Renders headings below the page's title, links in a new tab, and images of other hosts as text."""

    def heading_open(self, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
        return f"<{_below(tokens[at].tag)}>"

    def heading_close(self, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
        return f"</{_below(tokens[at].tag)}>\n"

    def link_open(self, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
        token = tokens[at]
        token.attrSet("target", "_blank")
        token.attrSet("rel", "noopener noreferrer")
        return self.renderToken(tokens, at, options, env)

    def image(self, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
        token = tokens[at]
        words = self.renderInlineAsText(token.children or [], options, env)
        if not _IMAGE.fullmatch(str(token.attrGet("src") or "")):
            return _escape(words)
        token.attrSet("alt", words)
        token.attrSet("loading", "lazy")
        return self.renderToken(tokens, at, options, env)

    def table_open(self, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
        return '<div class="tablebox"><table>'

    def table_close(self, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
        return "</table></div>\n"


def _below(tag: str) -> str:
    return f"h{min(int(tag[1]) + 1, _DEEPEST)}"


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


class _Markdown(MarkdownIt):
    def validateLink(self, url: str) -> bool:  # noqa: N802 - the library's name
        return bool(_LINKS.match(url) or _IMAGE.fullmatch(url))


def _parse_table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Limits tables: short rows are filled with empty cells, so that the output can be quadratic in the
    input.
    """
    if not silent and start + 1 < end:
        bars = state.src.count("|", state.bMarks[start + 1], state.eMarks[start + 1])
        if bars > MAX_COLUMNS + 1:
            return False  # not a table: it is shown as written
        # The first rows with too many cells are enough to know that, so the rest is not read.
        end = min(end, start + 3 + MAX_CELLS // max(bars - 1, 1))
    begin = len(state.tokens)
    is_table = table(state, start, end, silent)
    if is_table and not silent:
        cells = sum(each.type in ("th_open", "td_open") for each in state.tokens[begin:])
        state.env["cells"] = state.env.get("cells", 0) + cells
        if state.env["cells"] > MAX_CELLS:
            raise TooComplex
    return is_table


def _new_markdown() -> MarkdownIt:
    options = {"html": False, "maxNesting": MAX_NESTING}
    markdown = _Markdown("commonmark", options, renderer_cls=_Renderer)
    markdown.enable(["table", "strikethrough"])
    markdown.block.ruler.at("table", _parse_table, {"alt": ["paragraph", "reference"]})
    return markdown


_MARKDOWN = _new_markdown()


def to_html(body: str) -> str:
    """Converts Markdown to HTML and escapes the author's own HTML. Raises TooComplex."""
    if body.count("[") > MAX_BRACKETS or sum(map(body.count, "*_~")) > MAX_MARKS:
        raise TooComplex
    html: str = _MARKDOWN.render(body, {})
    if len(html) > MAX_HTML:
        raise TooComplex
    return html


def to_plain_html(body: str) -> str:
    """Returns the unformatted text in paragraphs."""
    return "".join(f"<p>{_escape(part)}</p>\n" for part in body.split("\n\n") if part.strip())


def images(body: str) -> set[UUID]:
    """Returns the media files that a text shows."""
    return {UUID(each) for each in _IMAGE.findall(body)}
