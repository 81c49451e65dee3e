"""Plain text from the markup of other systems. Runs in linear time."""

import re
from html.parser import HTMLParser

_BLOCKS = frozenset(
    ["p", "div", "br", "li", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "blockquote", "table"]
)
_SILENT = frozenset(["script", "style", "head", "title", "template"])
_MEDIA = frozenset(["video", "audio", "object", "embed", "iframe"])
_LINK = re.compile(r"!?\[([^\[\]]{0,500})\]\([^()\s]{0,2000}\)")
_HEADING = re.compile(r"^#{1,6} +", re.MULTILINE)
_SURROGATES = re.compile("[\ud800-\udfff]")
_SPACES = re.compile(r"[ \t\f\v\u00a0]+")
_LINES = re.compile(r" ?\n ?(?:\n ?)+")


class PlainText(HTMLParser):
    """Collects the text of HTML. `pictures` are pairs of address and alternative text, in their order."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.pictures: list[tuple[str, str]] = []
        self.has_table = self.has_media = False
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag in _SILENT:
            self._silent += 1
        if tag in _BLOCKS:
            self.parts.append("\n")
        if tag == "td":
            self.parts.append(" ")
        if tag == "img":
            self.pictures.append((values.get("src") or "", values.get("alt") or ""))
        self.has_table |= tag == "table"
        self.has_media |= tag in _MEDIA

    def handle_endtag(self, tag: str) -> None:
        if tag in _SILENT:
            self._silent = max(self._silent - 1, 0)
        if tag in _BLOCKS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.parts.append(data)

    @property
    def text(self) -> str:
        return clean("".join(self.parts))


def read_html(html: str) -> PlainText:
    parser = PlainText()
    parser.feed(html)
    parser.close()
    return parser


def from_markdown(text: str) -> str:
    """Removes the commonest marks of Markdown."""
    text = _HEADING.sub("", _LINK.sub(r"\1", text))
    for mark in ("**", "__", "`"):
        if text.count(mark) > 1:
            text = text.replace(mark, "")
    return clean(text)


def clean(text: str) -> str:
    """Removes characters that cannot be stored, and superfluous blanks."""
    text = _SURROGATES.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))
    text = "".join(each for each in text if each >= " " or each in "\n\t")
    return _LINES.sub("\n\n", _SPACES.sub(" ", text)).strip()
