"""Streams many certificates as one ZIP file; only a piece of one PDF is in memory at a time."""

import io
import re
import unicodedata
import zipfile
from collections.abc import AsyncIterator
from datetime import datetime
from zoneinfo import ZoneInfo

from trilha.core.sealed_files import ReadableFiles
from trilha.training.certificates.rules import format_code
from trilha.training.certificates.schema import CertificateFile

MAX_CERTIFICATES = 1000  # the maximum number of certificates in one archive
_LONGEST = 60  # the maximum length of a name or a title in a file name
_UNSAFE = re.compile(r'[<>:"/\\|?*]+')


class _Pipe(io.RawIOBase):
    """A buffer of written bytes that were not read yet. It cannot seek, so that nothing is written twice."""

    def __init__(self) -> None:
        self._written = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, piece: object) -> int:
        content = bytes(piece)  # type: ignore[call-overload]
        self._written += content
        return len(content)

    def take(self) -> bytes:
        taken, self._written = bytes(self._written), bytearray()
        return taken


async def stream(
    files: ReadableFiles,
    certificates: AsyncIterator[CertificateFile],
    time_zone: str,
    note: tuple[str, str],
) -> AsyncIterator[bytes]:
    """Streams the first MOST certificates. `note` is the name and text of a file that says that there are
    more.
    """
    pipe, count = _Pipe(), 0
    # Deflated, although PDFs hardly shrink: a streaming reader then knows where each file ends.
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        async for each in certificates:
            if count == MAX_CERTIFICATES:
                archive.writestr(*note)
                break
            count += 1
            when = datetime.fromisoformat(each.issued_at).astimezone(ZoneInfo(time_zone))
            entry = zipfile.ZipInfo(name_of(each), when.timetuple()[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            try:
                with archive.open(entry, "w") as file:
                    async for piece in files.read(each.file_key):
                        file.write(piece)
                        if waiting := pipe.take():
                            yield waiting
            except FileNotFoundError:  # the holder was erased meanwhile, so the file is empty
                continue
    yield pipe.take()


def name_of(certificate: CertificateFile) -> str:
    """Builds a unique name that is safe on every system, such as `Ana Lima - Direção defensiva -
    7K2M-….pdf`.
    """
    parts = (clean_name(certificate.holder_name), clean_name(certificate.course_title))
    return " - ".join([*filter(None, parts), format_code(certificate.code)]) + ".pdf"


def clean_name(text: str) -> str:
    """Removes path separators, characters that change the writing direction, and invisible characters."""
    composed = unicodedata.normalize("NFC", text)
    shown = "".join(each if unicodedata.category(each)[0] not in "CZ" else " " for each in composed)
    return " ".join(_UNSAFE.sub(" ", shown).split())[:_LONGEST].strip(" .")
