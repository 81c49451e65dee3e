"""The text of an article, from Markdown to HTML that is safe to show.

HTML in the text is shown as it is written, links lead to the web alone, and images are files of ours.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any
from uuid import UUID

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markupsafe import Markup

_LINKS = re.compile(r"(https?|mailto|tel):", re.IGNORECASE)
# As authors write it: ![what is to be seen](media/{id}).
_IMAGE = re.compile(r"media/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})")
_DEEPEST = 6


class _Renderer(RendererHTML):
    """Headings go below the title of the page; links open beside it; what is no image of ours is words."""

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
            return _escaped(words)
        token.attrSet("alt", words)
        token.attrSet("loading", "lazy")
        return self.renderToken(tokens, at, options, env)

    def table_open(self, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
        return '<div class="tablebox"><table>'

    def table_close(self, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
        return "</table></div>\n"


def _below(tag: str) -> str:
    return f"h{min(int(tag[1]) + 1, _DEEPEST)}"


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


class _Markdown(MarkdownIt):
    def validateLink(self, url: str) -> bool:  # noqa: N802 - the library's name
        return bool(_LINKS.match(url) or _IMAGE.fullmatch(url))


_MARKDOWN = _Markdown("commonmark", {"html": False}, renderer_cls=_Renderer).enable(
    ["table", "strikethrough"]
)


@lru_cache(64)
def to_html(body: str) -> Markup:
    """A few hundred kilobytes take a second: not for the loop of the server, where they are long."""
    return Markup(_MARKDOWN.render(body))  # noqa: S704 - the author's HTML is escaped


def images(body: str) -> set[UUID]:
    """The media files that a text shows."""
    return {UUID(each) for each in _IMAGE.findall(body)}
