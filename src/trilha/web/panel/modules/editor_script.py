"""The script of the lesson editor, which `make setup` bundles from npm packages."""

from functools import cache
from pathlib import Path

from trilha.kit import assets

_BUNDLE = Path(__file__).parent / "editor" / "bundle" / "editor.js"


@cache
def get_editor_script() -> assets.Asset | None:
    """Returns None if it is not installed."""
    if not _BUNDLE.exists():
        return None
    return assets.make_asset("editor.js", "text/javascript; charset=utf-8", _BUNDLE.read_bytes())
