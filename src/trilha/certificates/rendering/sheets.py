"""What is asked of the processes that set certificates, and what they answer."""

from typing import Literal

from msgspec import Struct

from trilha.certificates.rendering.paper import Paper

Form = Literal["pdf", "webp"]


class Sheet(Struct, frozen=True):
    """`badge` is a signed credential to attach, or nothing. Images have so many `pixels` per inch."""

    paper: Paper
    badge: str = ""
    form: Form = "pdf"
    pixels: int = 96


class Answer(Struct, frozen=True):
    """One PDF, or a WebP image of each page; or why there is none."""

    made: list[bytes] = []
    error: str | None = None
