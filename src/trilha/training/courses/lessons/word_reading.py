"""Converts a Word file (.docx) to a document, with its pictures."""

import base64
import io
import zipfile
from typing import Any

import mammoth
from msgspec import Struct

from trilha.training.courses.lessons import rules
from trilha.training.courses.lessons.html_reading import read_chapters, read_html
from trilha.training.courses.lessons.rendering import TooComplex
from trilha.training.courses.lessons.schema import Chapter, Document

MAX_FILE = 20 * 1024 * 1024
MAX_UNPACKED = 60 * 1024 * 1024
MAX_ENTRIES = 2000
MAX_CHAPTERS = 50  # with more headings of the first level, the file is one chapter
MAX_IMAGES = 100
MAX_IMAGE_BYTES = 25 * 1024 * 1024  # of all images together
_STYLES = """
p[style-name='Title'] => h1:fresh
p[style-name='Subtitle'] => p:fresh
p[style-name='Quote'] => blockquote > p:fresh
p[style-name='Intense Quote'] => blockquote > p:fresh
"""


class WordText(Struct, frozen=True):
    """A document whose images have the names `image-0`, `image-1` … for files, and the images as base64.
    `chapters` are the same document, split at its headings of the first level.
    """

    document: Document
    chapters: list[Chapter]
    images: list[str]


def read_word(content: bytes) -> WordText:
    """Raises InvalidDocument (word_unreadable), and TooComplex."""
    _check_archive(content)
    images: list[str] = []

    def keep(image: Any) -> dict[str, str]:
        with image.open() as source:
            data = source.read(MAX_IMAGE_BYTES + 1)
        if len(images) >= MAX_IMAGES or sum(map(len, images)) + len(data) > MAX_IMAGE_BYTES:
            return {"src": ""}
        images.append(base64.b64encode(data).decode())
        return {"src": f"image-{len(images) - 1}"}

    try:
        result = mammoth.convert_to_html(
            io.BytesIO(content), convert_image=mammoth.images.img_element(keep), style_map=_STYLES
        )
        document, chapters = read_html(result.value), read_chapters(result.value)
    except (TooComplex, MemoryError, RecursionError):
        raise
    except Exception:
        # The file is foreign, and the library says in many ways that it cannot read it.
        raise rules.InvalidDocument("file", "word_unreadable") from None
    if len(chapters) > MAX_CHAPTERS:
        chapters = [Chapter("", document)]
    return WordText(document, chapters, images)


def _check_archive(content: bytes) -> None:
    """Refuses archives that would unpack to more than is allowed."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entries = archive.infolist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        raise rules.InvalidDocument("file", "word_unreadable") from None
    if len(entries) > MAX_ENTRIES or sum(each.file_size for each in entries) > MAX_UNPACKED:
        raise TooComplex
