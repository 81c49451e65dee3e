"""Typesets papers with Typst, in a process of its own: see `__main__`.

It reads only the designs and the pictures in the process's folder and fetches nothing: designs import no
packages, and contents reach them as data.
"""

import io
import re
from pathlib import Path
from typing import Final, TypeVar

import msgspec
import segno
import typst

from trilha.training.certificates.designs import font_folders
from trilha.training.certificates.pdf.paper import Document, Paper
from trilha.training.certificates.pdf.sheets import DocumentSheet, Sheet

T = TypeVar("T", bound=Paper | Document)
# Replaces a character that no font has.
BOX = "\u25a1"
STANDARDS: Final = "a-3b"
_OLD_STANDARDS: Final = "a-1b"
# The message names the text that no font has, as a Rust string.
_NOT_DISPLAYED = re.compile(r'the text `"(.+?)"` could not be displayed', re.DOTALL)
_ESCAPE = re.compile(r"\\u\{([0-9a-f]+)\}")
# Characters that the fonts certainly have: texts of only these are not tested.
_SURE = re.compile(r"[ -~\u00a0-\u00ac\u00ae-\u017f\u2013\u2014\u2018-\u201d\u2022\u2026]*")
# Each test takes about 50 ms. An honest name lacks one or two.
_MAX_MISSING = 10
_TRIES = 10
_QUALITY = 50  # of a preview, in the scale of WebP


class NotSet(Exception):
    """Typst reported an error; the message is Typst's."""


class Typesetter:
    """Typesets in `folder`, which holds the designs' sources and the pictures; nothing outside can be
    read.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._fonts = typst.Fonts(
            include_system_fonts=False, font_paths=[str(each) for each in font_folders()]
        )
        self._certificates = self._compiler("certificate.typ")
        self._documents = self._compiler("document.typ")
        self._glyphs = Glyphs(self._compiler("glyphs.typ"))

    def set(self, sheet: Sheet | DocumentSheet) -> list[bytes]:
        """Returns one PDF, or a WebP image of each page. Raises NotSet."""
        contents: Paper | Document = sheet.paper if isinstance(sheet, Sheet) else sheet.document
        inputs = {"qr": qr_code(sheet.paper.url), "badge": sheet.badge} if isinstance(sheet, Sheet) else {}
        for _ in range(_TRIES):
            inputs["paper"] = msgspec.json.encode(self._glyphs.with_boxes(contents)).decode()
            try:
                return self._compile(sheet, inputs)
            except typst.TypstError as error:
                if not self._glyphs.learn(error):
                    raise NotSet(str(error)[:500]) from None
        raise NotSet("some characters cannot be shown")

    def _compile(self, sheet: Sheet | DocumentSheet, inputs: dict[str, str]) -> list[bytes]:
        if isinstance(sheet, DocumentSheet):
            pdf = self._documents.compile(sys_inputs=inputs, pdf_standards=_OLD_STANDARDS)
            assert isinstance(pdf, bytes)
            return [pdf]
        if sheet.form == "webp":
            made = self._certificates.compile(sys_inputs=inputs, format="png", ppi=sheet.pixels)
        elif sheet.form == "pdf_a1b":
            made = self._certificates.compile(sys_inputs=inputs, pdf_standards=_OLD_STANDARDS)
        else:
            made = self._certificates.compile(sys_inputs=inputs, pdf_standards=STANDARDS)
        assert made is not None
        pages = made if isinstance(made, list) else [made]
        return [_as_webp(each) for each in pages] if sheet.form == "webp" else pages

    def _compiler(self, source: str) -> typst.Compiler:
        return typst.Compiler(
            self._folder / source,
            root=self._folder,
            font_paths=self._fonts,
            ignore_system_fonts=True,
            package_path=self._folder,
            package_cache_path=self._folder,
        )


class Glyphs:
    """The characters that the fonts have. PDF/A allows no missing glyphs, so that other characters become
    boxes.
    """

    def __init__(self, compiler: typst.Compiler) -> None:
        self._compiler = compiler
        self._there: set[str] = set()
        self._missing: set[str] = set()

    def with_boxes(self, paper: T) -> T:
        encoded = msgspec.json.encode(paper).decode()
        if _SURE.fullmatch(encoded):
            return paper
        self._find_out({each for each in encoded if not _SURE.fullmatch(each)} - self._there - self._missing)
        missing = self._missing & set(encoded)
        boxed = encoded.translate(dict.fromkeys(map(ord, missing), BOX))
        return msgspec.json.decode(boxed, type=type(paper)) if missing else paper

    def learn(self, error: typst.TypstError) -> bool:
        """Learns missing characters from an error; returns whether the error named any."""
        lacking = _lacking(error)
        self._missing |= lacking
        self._there -= lacking
        return bool(lacking)

    def _find_out(self, unknown: set[str]) -> None:
        """Finds missing characters one by one, because Typst names only the first. After a limit, all unknown
        characters count as missing, so that a hostile text costs no more.
        """
        for _ in range(_MAX_MISSING):
            if not unknown:
                return
            try:
                self._compiler.compile(sys_inputs={"text": "".join(sorted(unknown))}, pdf_standards=STANDARDS)
            except typst.TypstError as error:
                lacking = _lacking(error) or unknown
                self._missing |= lacking
                unknown = unknown - lacking
            else:
                self._there |= unknown
                return
        self._missing |= unknown


def _lacking(error: typst.TypstError) -> set[str]:
    if not (found := _NOT_DISPLAYED.search(str(error))):
        return set()
    text = _ESCAPE.sub(lambda code: chr(int(code[1], 16)), found[1])
    return {each for each in text if not _SURE.fullmatch(each)}


def qr_code(text: str) -> str:
    """Returns the QR code as SVG."""
    written = io.BytesIO()
    segno.make(text, error="m", micro=False).save(written, kind="svg", border=0, xmldecl=False, nl=False)
    return written.getvalue().decode()


def _as_webp(png: bytes) -> bytes:
    """Converts to WebP, a sixth of the size, because a list shows many images."""
    from PIL import Image

    written = io.BytesIO()
    with Image.open(io.BytesIO(png), formats=("PNG",)) as image:
        image.convert("RGB").save(written, "WEBP", quality=_QUALITY)
    return written.getvalue()
