"""Input that is small to send and used to be very expensive to read: it is refused, or read quickly.

The bounds are processor time. They are far above the necessary time, and far below the time without a limit.
"""

import io
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from PIL import Image

from training.scorm.packages import package, written
from trilha.core.errors import Invalid
from trilha.core.images import MAX_SCANS
from trilha.core.types import Email, InvalidValue
from trilha.core.web.request import parse_form
from trilha.people.people_import import columns, sheet
from trilha.platform.tenants import logos
from trilha.training.certificates.templates import pictures
from trilha.training.courses import images
from trilha.training.scorm.package.extraction import extract
from trilha.web.panel import emails

MIB = 1 << 20
SECONDS = 5


def refused(work: Callable[[], Any]) -> str:
    """Returns the code of the refusal."""
    began = process_time()
    with pytest.raises(Invalid) as error:
        work()
    assert process_time() - began < SECONDS
    return error.value.code


def jpeg(size: tuple[int, int], *, scans: int = 0, mode: str = "L", progressive: bool = True) -> bytes:
    """Builds a JPEG that repeats its last scan."""
    made = io.BytesIO()
    Image.new(mode, size).save(made, "JPEG", progressive=progressive)
    raw = made.getvalue()
    return raw[:-2] + raw[raw.rindex(b"\xff\xda") : -2] * scans + raw[-2:]


def stored(folder: Path, content: bytes) -> tuple[Path, int]:
    path = folder / "image"
    path.write_bytes(content)
    return path, len(content)


def test_a_jpeg_of_thousands_of_scans(tmp_path: Path) -> None:
    """A megabyte of scans took more than a minute."""
    file = stored(tmp_path, jpeg((2000, 2000), scans=10_000))
    assert refused(lambda: images.read(*file, most_side=1280)) == "image_too_large"
    assert refused(lambda: logos.read(*file)) == "logo_too_large"
    assert refused(lambda: pictures.read(*file, "logo")) == "picture_too_large"


@pytest.mark.parametrize(
    "content",
    [
        jpeg((4500, 4500)),
        jpeg((4500, 4500), mode="CMYK", progressive=False),
        jpeg((10, 10), scans=MAX_SCANS),
        jpeg((10, 10)).replace(b"\xff\xda", b"\xff\x01"),
    ],
    ids=["progressive", "CMYK", "scans", "none"],
)
def test_a_jpeg_that_needs_all_of_it_in_memory(tmp_path: Path, content: bytes) -> None:
    file = stored(tmp_path, content)
    assert refused(lambda: images.read(*file, most_side=1280)) in ("image_too_large", "not_an_image")


@pytest.mark.parametrize(
    "content",
    [
        jpeg((5000, 5000), mode="RGB", progressive=False),
        jpeg((3000, 3000), mode="RGB"),
        jpeg((300, 300), scans=5),
    ],
    ids=["camera", "progressive", "scans"],
)
def test_photos_are_taken(tmp_path: Path, content: bytes) -> None:
    assert images.read(*stored(tmp_path, content), most_side=100)


def test_large_images_of_other_formats(tmp_path: Path) -> None:
    made = io.BytesIO()
    Image.new("RGBA", (4000, 4000)).save(made, "WEBP", lossless=True)
    file = stored(tmp_path, made.getvalue())
    assert refused(lambda: images.read(*file, most_side=1280)) == "image_too_large"
    assert refused(lambda: logos.read(*file)) == "logo_too_large"


@pytest.mark.parametrize(
    "raw",
    [b"a\n" * (10 * MIB), (b"ab," * 66 + b"\n") * 90_000, b"ab," * 600 + b"\n" + b"1\n"],
    ids=["rows", "cells", "columns"],
)
def test_a_table_of_too_much(raw: bytes) -> None:
    """The first of these took 1 GB."""
    assert refused(lambda: sheet.read(raw)) == "file_too_large"


def test_a_table_of_one_row() -> None:
    assert refused(lambda: sheet.read(b'"\n",' * (4 * MIB))) == "file_not_a_table"


def test_a_header_of_combining_marks() -> None:
    """Sorting combining marks takes time that grows with the square of their number."""
    began = process_time()
    assert columns.guess(["a" + "\u0315\u0300" * 60_000, "E-mail"]) == {"E-mail": "email"}
    assert process_time() - began < SECONDS


@pytest.mark.parametrize(
    "text",
    ["<" + "@" * 499_999, ("a@" + "é." * 120 + "com,") * 2_000, "<a" * 250_000],
    ids=["at signs", "labels", "angles"],
)
def test_a_list_of_addresses(text: str) -> None:
    began = process_time()
    assert emails.from_text(text).good == []
    assert process_time() - began < SECONDS


def test_addresses_with_names_are_read() -> None:
    assert emails.from_text("Ana <ana@example.com>; rui@example.com").good == [
        "ana@example.com",
        "rui@example.com",
    ]


def test_an_address_of_many_labels() -> None:
    with pytest.raises(InvalidValue):
        Email.parse("a@" + "é." * 120 + "com")
    assert Email.parse("a@exemplo.é.com") == "a@exemplo.xn--9ca.com"


@pytest.mark.parametrize("length", [65_530, 65_535, 65_536, 65_537, 200_000])
def test_a_long_form_is_read_as_a_short_one(length: int) -> None:
    """It is decoded in pieces, and no piece splits an escape."""
    text = "é+%& =" * (length // 6)
    escaped = "".join(f"%{byte:02X}" for byte in text.encode())
    assert parse_form(f"a={escaped}&b=x+y".encode()) == {"a": text, "b": "x y"}


def test_a_name_in_an_archive_that_is_a_page_long(tmp_path: Path) -> None:
    raw = package(("a" + "\u0315\u0300" * 15_000, "x"))
    began = process_time()
    report = extract(written(tmp_path, raw), tmp_path).report
    assert process_time() - began < SECONDS
    assert [each.code for each in report.findings] == ["name_too_long"]
