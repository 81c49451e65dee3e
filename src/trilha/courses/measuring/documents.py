"""The pages of a PDF."""

from pathlib import Path

from pypdf import PdfReader
from pypdf.errors import PyPdfError


def pages(path: Path) -> int | None:
    """None of one that cannot be read, or asks for a password."""
    try:
        return len(PdfReader(path).pages) or None
    except (PyPdfError, ValueError, TypeError, KeyError, AttributeError, OSError, RecursionError):
        return None
