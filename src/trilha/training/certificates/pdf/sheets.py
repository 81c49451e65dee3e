"""The requests and answers of the typesetting processes."""

from typing import Literal

from msgspec import Struct

from trilha.training.certificates.pdf.paper import Paper

Form = Literal["pdf", "webp"]


class Sheet(Struct, frozen=True):
    """One certificate to typeset. `badge` is a signed credential to attach, or empty. `pixels` is the images'
    resolution per inch.
    """

    paper: Paper
    badge: str = ""
    form: Form = "pdf"
    pixels: int = 96


class Answer(Struct, frozen=True):
    """One PDF, a WebP image of each page, or the error."""

    made: list[bytes] = []
    error: str | None = None
