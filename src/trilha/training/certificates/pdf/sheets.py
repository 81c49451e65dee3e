"""The requests and answers of the typesetting processes."""

from typing import Literal

from msgspec import Struct

from trilha.training.certificates.pdf.paper import Document, Paper

# `pdf` is PDF/A-3b with its attachment; `pdf_a1b` has none and no transparency.
Form = Literal["pdf", "pdf_a1b", "webp"]


class Sheet(Struct, frozen=True, tag="certificate"):
    """One certificate to typeset. `badge` is a signed credential to attach, or empty. `pixels` is the images'
    resolution per inch.
    """

    paper: Paper
    badge: str = ""
    form: Form = "pdf"
    pixels: int = 96


class DocumentSheet(Struct, frozen=True, tag="document"):
    """A document to typeset as PDF/A-1b."""

    document: Document


class Answer(Struct, frozen=True):
    """One PDF, a WebP image of each page, or the error."""

    made: list[bytes] = []
    error: str | None = None
