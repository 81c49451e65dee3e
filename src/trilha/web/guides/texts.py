"""The guides' texts and pictures, read and rendered once per process."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from posixpath import normpath

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup
from msgspec import Struct
from PIL import Image

from trilha.core.errors import NotFound
from trilha.kit import Locale
from trilha.kit.assets import Asset, make_asset

GUIDES = ("administrators", "managers", "instructors", "learners")
INDEX = "index"
PICTURES = "/guides"  # pictures are served below this address
# A link into the repository's docs, so that there is one copy of each text.
_FOLDER = Path(__file__).parent / "text"
_LANGUAGES: Mapping[Locale, str] = {"pt-BR": "pt-br", "en": "en"}
_MARKDOWN = MarkdownIt("commonmark", {"html": False, "xhtmlOut": False}).enable("table")


class Article(Struct, frozen=True):
    """One page of a guide. `body` is everything below the title."""

    title: str
    body: Markup


def get(locale: Locale, guide: str, topic: str, address: str) -> Article:
    """Returns a page of the guide that is shown at `address`. Raises NotFound."""
    if guide not in GUIDES or topic not in topics(locale, guide):
        raise NotFound("route_not_found")
    return _render(locale, guide, topic, address)


@cache
def pictures() -> Mapping[Path, Asset]:
    return {
        path: make_asset(path.name, "image/webp", path.read_bytes(), pack=False)
        for path in _FOLDER.rglob("*.webp")
    }


@cache
def pictures_by_name() -> Mapping[str, Asset]:
    return {picture.name: picture for picture in pictures().values()}


@cache
def topics(locale: Locale, guide: str) -> Sequence[str]:
    """Returns the pages of a guide, with its index first."""
    names = {page.stem for page in _folder_of(locale, guide).glob("*.md")}
    return [INDEX, *sorted(names - {INDEX})]


def _folder_of(locale: Locale, guide: str) -> Path:
    return _FOLDER / _LANGUAGES[locale] / guide


@cache
def _render(locale: Locale, guide: str, topic: str, address: str) -> Article:
    folder = _folder_of(locale, guide)
    tokens = _MARKDOWN.parse((folder / f"{topic}.md").read_text(encoding="utf-8"))
    title, body = tokens[1].content, tokens[3:]
    for token in _walk(body):
        if token.type == "link_open":
            page = str(token.attrs["href"]).removesuffix(".md")
            token.attrs["href"] = normpath(f"{address}/{page}").removesuffix(f"/{INDEX}")
        elif token.type == "image":
            _show_picture(token, Path(normpath(folder / str(token.attrs["src"]))))
    html = _MARKDOWN.renderer.render(body, _MARKDOWN.options, {})
    return Article(title, Markup(html))  # noqa: S704 - our own text, in which HTML is escaped


def _walk(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from token.children or ()


def _show_picture(token: Token, path: Path) -> None:
    """Adds the picture's size, so that the text does not move when it arrives."""
    with Image.open(path) as image:
        token.attrs |= {"width": image.width, "height": image.height}
    token.attrs |= {"src": f"{PICTURES}/{pictures()[path].name}", "loading": "lazy"}
