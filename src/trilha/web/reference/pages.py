"""The OpenAPI descriptions as JSON, and /v1's as HTML pages, one per tag.

The server renders them, so that a phone loads only the page that it shows.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import msgspec
from markdown_it import MarkdownIt
from markupsafe import Markup

from trilha.core.errors import NotFound
from trilha.core.types import to_json
from trilha.core.web.answers import Html, Json
from trilha.core.web.callers import PUBLIC
from trilha.core.web.request import Request
from trilha.core.web.routes import Routes
from trilha.core.web.surface import Surface
from trilha.kit import HEADERS, Page, PageErrors, page_of, render, text
from trilha.web.reference.view import Reference, build_reference

_DESCRIPTION_ADDRESS = "/openapi.json"
# HTML in a description is escaped: we write none.
_markdown = MarkdownIt("commonmark", {"html": False})


def surfaces(describers: Mapping[str, Callable[[], dict[str, Any]]]) -> list[Surface]:
    """Returns the surfaces of /docs and of each description. A description is built at its first request."""
    descriptions = {address: _Description(describe) for address, describe in describers.items()}
    return [
        Surface(
            name="docs",
            prefixes=["/docs"],
            features=[_pages(_Bodies(descriptions[_DESCRIPTION_ADDRESS], list(descriptions)))],
            errors=PageErrors(),
            media_type="text/html",
            headers=HEADERS,
            https="redirect",
        ),
        *(_build_surface(address, each) for address, each in descriptions.items()),
    ]


class _Description:
    """A description as bytes, with its ETag."""

    def __init__(self, describe: Callable[[], dict[str, Any]]) -> None:
        self._describe = describe

    @cached_property
    def content(self) -> bytes:
        return to_json(self._describe())

    @cached_property
    def etag(self) -> str:
        return f'"{hashlib.sha256(self.content).hexdigest()[:16]}"'


class _Bodies:
    """The bodies of the pages, which are the same for every reader; each is rendered at its first request."""

    def __init__(self, description: _Description, addresses: Sequence[str]) -> None:
        self._description = description
        self._addresses = addresses
        self._drawn: dict[str, Markup] = {}

    @cached_property
    def reference(self) -> Reference:
        return build_reference(msgspec.json.decode(self._description.content))

    @cached_property
    def index(self) -> Markup:
        shown = {"reference": self.reference, "addresses": self._addresses, "markdown": _html}
        return Markup(text("reference/_index.html", _READER, **shown))  # noqa: S704

    def tag(self, slug: str) -> tuple[str, Markup]:
        """Returns a tag's name and the HTML of its operations. Raises NotFound."""
        tag = next((each for each in self.reference.tags if each.slug == slug), None)
        if tag is None:
            raise NotFound("route_not_found")
        if slug not in self._drawn:
            drawn = text("reference/_tag.html", _READER, tag=tag, markdown=_html)
            self._drawn[slug] = Markup(drawn)  # noqa: S704
        return tag.name, self._drawn[slug]


# The bodies are in English, as the description is.
_READER = Page(locale="en")


def _html(source: str) -> Markup:
    return Markup(_markdown.render(source))  # noqa: S704


def _pages(bodies: _Bodies) -> Routes:
    routes = Routes("Reference", "The API reference, for people.")

    @routes.get("", access=PUBLIC)
    async def show_reference(request: Request) -> Html:
        """List the operations of /v1."""
        return render("reference/index.html", page_of(request), body=bodies.index)

    @routes.get("/{tag}", access=PUBLIC)
    async def show_tag(request: Request, tag: str) -> Html:
        """Show the operations about one thing."""
        name, body = bodies.tag(tag)
        return render("reference/tag.html", page_of(request), name=name, body=body)

    return routes


def _build_surface(address: str, description: _Description) -> Surface:
    routes = Routes("Description", "The API in OpenAPI's words, for machines.")

    @routes.get("", access=PUBLIC)
    async def get_description() -> Json:
        """Describe the surface in OpenAPI 3.1."""
        return Json(description.content, headers={"etag": description.etag})

    return Surface(name="openapi", prefixes=[address], features=[routes], https="redirect")
