"""Style sheets and scripts, joined when the process starts and named by what is in them."""

import gzip
import hashlib
import re
from functools import cache
from pathlib import Path

from msgspec import Struct

from trilha.core.web.answers import Answer, Headers, accepts_gzip
from trilha.core.web.request import Request
from trilha.pages import brand

STATIC = Path(__file__).parent / "static"
MODULES = Path(__file__).parent / "node_modules"
FONT = MODULES / "@fontsource-variable" / "inter" / "files" / "inter-latin-wght-normal.woff2"
HTMX = MODULES / "htmx.org" / "dist" / "htmx.min.js"
LAYERS = "@layer reset, tokens, base, shell, ui, page, util;\n"
FOREVER = "public, max-age=31536000, immutable"


class Asset(Struct, frozen=True):
    """A file as it is sent. `name` changes with its content."""

    name: str
    media_type: str
    content: bytes
    packed: bytes | None  # by gzip, where that is worth it

    def answer(self, request: Request) -> Answer:
        etag = f'"{self.name}"'.encode()
        headers: Headers = [
            (b"content-type", self.media_type.encode()),
            (b"etag", etag),
            (b"vary", b"accept-encoding"),
        ]
        if etag.decode() in (request.header(b"if-none-match") or ""):
            return Answer(304, None, headers)
        if self.packed is not None and accepts_gzip(request):
            return Answer(200, self.packed, [*headers, (b"content-encoding", b"gzip")])
        return Answer(200, self.content, headers)


def make_asset(name: str, media_type: str, content: bytes, *, pack: bool = True) -> Asset:
    stem, _, ending = name.rpartition(".")
    digest = hashlib.sha256(content).hexdigest()[:12]
    packed = gzip.compress(content, 9, mtime=0) if pack else None
    return Asset(f"{stem}.{digest}.{ending}", media_type, content, packed)


@cache
def assets() -> dict[str, Asset]:
    """By what the shells call them. What was not installed is left out."""
    found = {}
    if FONT.exists():
        found["font"] = make_asset("inter.woff2", "font/woff2", FONT.read_bytes(), pack=False)
    found["icon"] = make_asset("icon.svg", "image/svg+xml", (STATIC / "icon.svg").read_bytes())
    found["styles"] = make_asset("trilha.css", "text/css; charset=utf-8", _styles(found.get("font")))
    found["script"] = make_asset("trilha.js", "text/javascript; charset=utf-8", _script())
    return found


@cache
def by_name() -> dict[str, Asset]:
    return {each.name: each for each in assets().values()}


def url(asset: str) -> str:
    """Empty where it was not installed."""
    found = assets().get(asset)
    return f"/assets/{found.name}" if found else ""


def _styles(font: Asset | None) -> bytes:
    """Every style sheet in the order of its layer; within one the order is that of the names."""
    parts = [path.read_text() for path in sorted((STATIC / "css").rglob("*.css"))]
    text = LAYERS + brand.stylesheet(brand.DEFAULT).decode() + "\n" + "\n".join(parts)
    return _smaller(text.replace("inter.woff2", font.name if font else "")).encode()


def _smaller(css: str) -> str:
    """Without comments and indentation; it stays readable to whoever looks at it in a browser."""
    css = re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL)
    return re.sub(r"\n\s*", "\n", css).strip()


def _lighter(script: str) -> str:
    """Without lines that are comments, and without indentation; ours have no text of several lines."""
    return re.sub(r"^\s*(//[^\n]*\n)?", "", script, flags=re.MULTILINE)


def _script() -> bytes:
    """htmx and each custom element, each in a scope of its own."""
    parts = [HTMX.read_text()] if HTMX.exists() else []
    parts += [f"{{\n{_lighter(path.read_text())}}}" for path in sorted((STATIC / "js").glob("*.js"))]
    return ";\n".join(parts).encode()
