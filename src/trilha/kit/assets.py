"""Style sheets and scripts, bundled when the process starts and named after their content."""

import gzip
import hashlib
import re
from functools import cache
from pathlib import Path

from msgspec import Struct

from trilha.core.web.answers import Answer, Headers, accepts_gzip
from trilha.core.web.request import Request
from trilha.kit import brand

STATIC = Path(__file__).parent / "static"
MODULES = Path(__file__).parent / "node_modules"
FONT = MODULES / "@fontsource-variable" / "inter" / "files" / "inter-latin-wght-normal.woff2"
HTMX = MODULES / "htmx.org" / "dist" / "htmx.min.js"
LAYERS = "@layer reset, tokens, base, shell, ui, page, util;\n"
FOREVER = "public, max-age=31536000, immutable"


class Asset(Struct, frozen=True):
    """A bundled file. `name` changes with its content."""

    name: str
    media_type: str
    content: bytes
    packed: bytes | None  # compressed by gzip, if that is worth it

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
    """Returns the assets by the names that the shells use. Those not installed are left out."""
    found = {}
    if FONT.exists():
        found["font"] = make_asset("inter.woff2", "font/woff2", FONT.read_bytes(), pack=False)
    found["icon"] = make_asset("icon.svg", "image/svg+xml", (STATIC / "icon.svg").read_bytes())
    found["styles"] = make_asset("trilha.css", "text/css; charset=utf-8", _styles(found.get("font")))
    found["script"] = make_asset("trilha.js", "text/javascript; charset=utf-8", _script())
    # Only pages of the panel load it.
    found["panel_script"] = make_asset("panel.js", "text/javascript; charset=utf-8", _join("js/panel"))
    # Only pages with a field to sign in load it.
    found["signature_script"] = make_asset(
        "signature.js", "text/javascript; charset=utf-8", _join("js/signature")
    )
    # Only the page of an identity photo loads it.
    found["identity_script"] = make_asset(
        "identity.js", "text/javascript; charset=utf-8", _join("js/identity")
    )
    # Only pages that ask for a passkey load it.
    found["passkey_script"] = make_asset(
        "passkeys.js", "text/javascript; charset=utf-8", _join("js/passkeys")
    )
    # Only the list of a session loads it.
    found["attendance_script"] = make_asset(
        "attendance.js", "text/javascript; charset=utf-8", _join("js/attendance")
    )
    return found


@cache
def by_name() -> dict[str, Asset]:
    return {each.name: each for each in assets().values()}


def url(asset: str) -> str:
    """Returns the URL of an asset, or an empty string if it is not installed."""
    found = assets().get(asset)
    return f"/assets/{found.name}" if found else ""


def _styles(font: Asset | None) -> bytes:
    """Joins the style sheets in the order of their layers, and by name within a layer."""
    parts = [path.read_text() for path in sorted((STATIC / "css").rglob("*.css"))]
    text = LAYERS + brand.stylesheet(brand.DEFAULT).decode() + "\n" + "\n".join(parts)
    return _smaller(text.replace("inter.woff2", font.name if font else "")).encode()


def _smaller(css: str) -> str:
    """Removes comments and indentation. The result is still readable in a browser."""
    css = re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL)
    return re.sub(r"\n\s*", "\n", css).strip()


def _lighter(script: str) -> str:
    """Removes comment lines and indentation. Our scripts have no multi-line strings."""
    return re.sub(r"^\s*(//[^\n]*\n)?", "", script, flags=re.MULTILINE)


def _script() -> bytes:
    """Joins htmx and the custom elements, each in its own scope."""
    htmx = [HTMX.read_bytes()] if HTMX.exists() else []
    return b";\n".join([*htmx, _join("js")])


def _join(folder: str) -> bytes:
    """Joins the scripts of a folder, each in its own scope."""
    scripts = [f"{{\n{_lighter(path.read_text())}}}" for path in sorted((STATIC / folder).glob("*.js"))]
    return ";\n".join(scripts).encode()
