"""Many certificates in one ZIP file, made while it is sent: a piece of one PDF is in memory at a time."""

import io
import re
import unicodedata
import zipfile
from collections.abc import AsyncIterator
from datetime import datetime
from zoneinfo import ZoneInfo

from trilha.certificates.rules import shown_code
from trilha.certificates.schema import CertificateFile
from trilha.core.sealed_files import ReadableFiles

MOST = 1000  # certificates in one archive
_LONGEST = 60  # characters of a name or a title in the name of a file
_UNSAFE = re.compile(r'[<>:"/\\|?*]+')


class _Pipe(io.RawIOBase):
    """What was written and not taken yet. It cannot be sought in, so that nothing is written twice."""

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
    """The first MOST of them. `note` is the name and the text of a file that says that there are more."""
    pipe, count = _Pipe(), 0
    # Deflated, though PDFs hardly shrink: who reads an archive as it comes knows where such a file ends.
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        async for each in certificates:
            if count == MOST:
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
            except FileNotFoundError:  # the holder was erased meanwhile: an empty file is left
                continue
    yield pipe.take()


def name_of(certificate: CertificateFile) -> str:
    """`Ana Lima - Direção defensiva - 7K2M-….pdf`: safe on every system, and no other file's."""
    parts = (_plain(certificate.holder_name), _plain(certificate.course_title))
    return " - ".join([*filter(None, parts), shown_code(certificate.code)]) + ".pdf"


def _plain(text: str) -> str:
    """Without what separates folders, turns the direction of writing or cannot be seen."""
    composed = unicodedata.normalize("NFC", text)
    shown = "".join(each if unicodedata.category(each)[0] not in "CZ" else " " for each in composed)
    return " ".join(_UNSAFE.sub(" ", shown).split())[:_LONGEST].strip(" .")
