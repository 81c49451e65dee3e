"""Counts the pages of a PDF."""

from pathlib import Path

from pypdf import PdfReader
from pypdf.errors import PyPdfError


def pages(path: Path) -> int | None:
    """Returns None if the PDF cannot be read or needs a password."""
    try:
        return len(PdfReader(path).pages) or None
    except (PyPdfError, ValueError, TypeError, KeyError, AttributeError, OSError, RecursionError):
        return None
