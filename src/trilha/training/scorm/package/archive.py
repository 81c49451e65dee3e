"""Reads an untrusted zip: its list of entries, and its files one by one, within limits.

Files are stored under their numbers, never under names of the archive. The names are checked all the same,
and a harmful one refuses the whole package.
"""

import io
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from msgspec import Struct

from trilha.training.scorm.package import paths
from trilha.training.scorm.package.limits import MIB, Limits
from trilha.training.scorm.package.report import Finding, PackageRefused, build_refusal, clean_text

_PIECE = 256 * 1024
_UTF8_FLAG = 0x800
_ENCRYPTED_FLAG = 0x1
# The fixed parts of an entry's own header, and of its line in the central directory.
_HEADER = 30
_ENTRY_BYTES = 46
_MAX_FINDINGS = 20
_LONGEST_NAME = 2048
_ARCHIVE_ERRORS = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError, ValueError),
    *(NotImplementedError, OverflowError, KeyError, IndexError),
)


class Entry(Struct, frozen=True):
    """A file of the archive. `number` is its place in the archive; `path` is in normal form."""

    number: int
    path: str
    size: int
    packed: int


class Archive:
    """A zip file. Every method raises Refused. Call `examine` before reading anything."""

    def __init__(self, file: ZipFile, size: int, limits: Limits) -> None:
        self._infos = file.infolist()
        self._file = file
        self._size = size
        self._limits = limits

    def examine(self) -> None:
        """Checks what can be checked without unpacking: numbers, sizes, kinds and positions of entries."""
        limits = self._limits
        if len(self._infos) > limits.entries:
            raise build_refusal("too_many_entries", count=len(self._infos), most=limits.entries)
        if sum(each.file_size for each in self._infos) > limits.total:
            raise build_refusal("too_large_unpacked", megabytes=limits.total // MIB)
        for each in self._infos:
            self._examine(each)
        self._refuse_overlaps()

    def find_course_structure(self) -> int | None:
        """Returns the number of cmi5.xml in the root folder, if the package has no imsmanifest.xml there."""
        names = {
            paths.normal(_raw(info).decode("utf-8", "replace")).lower(): number
            for number, info in enumerate(self._infos)
        }
        return None if "imsmanifest.xml" in names else names.get("cmi5.xml")

    def manifest(self) -> tuple[str, int]:
        """Returns the folder of the manifest, empty or with a slash at its end, and the number of its
        entry.
        """
        found = [
            (number, path)
            for number, raw in enumerate(map(_raw, self._infos))
            if not (path := paths.normal(raw.decode("utf-8", "replace"))).startswith("__MACOSX/")
            and path.rpartition("/")[2].lower() == "imsmanifest.xml"
        ]
        shallowest = min((path.count("/") for _, path in found), default=0)
        nearest = [(number, path) for number, path in found if path.count("/") == shallowest]
        if not nearest:
            raise self._without_manifest()
        if len(nearest) > 1:
            raise build_refusal("several_manifests", nearest[1][1])
        number, path = nearest[0]
        return path[: -len("imsmanifest.xml")], number

    def read(self, number: int, limit: int, code: str) -> bytes:
        """Returns a whole entry. Refuses it with the code if it has more bytes."""
        whole = bytearray()
        for piece in self._pieces(self._infos[number]):
            whole += piece
            if len(whole) > limit:
                raise build_refusal(code, megabytes=limit // MIB)
        return bytes(whole)

    def entries(self, referenced: Sequence[str]) -> list[Entry]:
        """Lists the files with allowed names. `referenced` are paths that help to detect the encoding of
        names.
        """
        names = self._names(referenced)
        self._refuse_names(names)
        files = [
            self._entry(number, name)
            for number, name in names.items()
            if not name.replace("\\", "/").endswith("/")
        ]
        kept = [each for each in files if not paths.is_junk(each.path)]
        _refuse_twins(kept)
        return kept

    def unpack(self, entry: Entry, target: Path, seen: Callable[[bytes], None]) -> None:
        """Writes a file. `seen` receives every piece."""
        written = 0
        with target.open("xb") as file:
            for piece in self._pieces(self._infos[entry.number]):
                written += len(piece)
                self._check_ratio(written, entry.packed, entry.path)
                file.write(piece)
                seen(piece)

    def _examine(self, info: ZipInfo) -> None:
        where, limits = info.orig_filename, self._limits
        if len(where) > _LONGEST_NAME:  # in any format and encoding
            raise build_refusal("name_too_long", where)
        kind = stat.S_IFMT(info.external_attr >> 16)
        if stat.S_ISLNK(kind):
            raise build_refusal("symbolic_link", where)
        if kind and not stat.S_ISREG(kind) and not stat.S_ISDIR(kind):
            raise build_refusal("not_a_file", where)
        if info.flag_bits & _ENCRYPTED_FLAG:
            raise build_refusal("encrypted", where)
        if info.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            raise build_refusal("compression_unknown", where)
        if info.file_size > limits.file:
            raise build_refusal("file_too_large", where, megabytes=limits.file // MIB)
        self._check_ratio(info.file_size, info.compress_size, where)

    def _check_ratio(self, size: int, packed: int, where: str) -> None:
        if size > self._limits.ratio_from and size > self._limits.ratio * packed:
            raise build_refusal("bomb", where, ratio=self._limits.ratio)

    def _refuse_overlaps(self) -> None:
        """Entries that share bytes can unpack to far more than the archive holds, and readers disagree
        about them.
        """
        end = 0
        for info in sorted(self._infos, key=lambda each: each.header_offset):
            if info.header_offset < end:
                raise build_refusal("overlap", info.orig_filename)
            end = info.header_offset + _HEADER + len(_raw(info)) + info.compress_size
        if end > self._size:
            raise build_refusal("damaged")

    def _entry(self, number: int, name: str) -> Entry:
        info = self._infos[number]
        return Entry(number, paths.normal(name), info.file_size, info.compress_size)

    def _names(self, referenced: Sequence[str]) -> dict[int, str]:
        raw = {
            number: (_raw(each), bool(each.flag_bits & _UTF8_FLAG)) for number, each in enumerate(self._infos)
        }
        return paths.decode_names(raw, referenced)

    def _refuse_names(self, names: dict[int, str]) -> None:
        found = [
            Finding(severity="error", code=code, where=clean_text(name))
            for name in names.values()
            if (code := paths.problem_of(name, self._limits))
        ]
        if found:
            raise PackageRefused(*found[:_MAX_FINDINGS])

    def _without_manifest(self) -> PackageRefused:
        names = [each.orig_filename for each in self._infos if not each.is_dir()]
        inner = [each for each in names if each.lower().endswith(".zip")]
        if len(inner) == 1:
            return build_refusal("zip_in_zip", inner[0])
        foreign = next((each for each in names if each.lower() in ("tincan.xml", "cmi5.xml", "h5p.json")), "")
        return build_refusal("another_standard", foreign) if foreign else build_refusal("no_manifest")

    def _pieces(self, info: ZipInfo) -> Iterator[bytes]:
        left = info.file_size
        with _as_refusals(info.orig_filename), self._file.open(info) as file:
            while piece := file.read(_PIECE):
                left -= len(piece)
                yield piece
        if left:
            # ZipFile accepts an entry that is shorter than its header says.
            raise build_refusal("damaged", info.orig_filename)


@contextmanager
def open_archive(path: Path, limits: Limits) -> Iterator[Archive]:
    """Raises Refused (damaged, not_a_zip)."""
    with path.open("rb", buffering=0) as raw:
        with _as_refusals():
            if not zipfile.is_zipfile(raw):
                raise build_refusal("not_a_zip")
            raw.seek(0)
            file = ZipFile(_BoundedReader(raw, limits))
        with file:
            yield Archive(file, path.stat().st_size, limits)


class _BoundedReader(io.BufferedReader):
    """Refuses large reads: the list of entries is the only thing that ZipFile reads as a whole."""

    def __init__(self, raw: io.FileIO, limits: Limits) -> None:
        super().__init__(raw)
        self._limits = limits

    def read(self, size: int | None = -1, /) -> bytes:
        limit = self._limits.directory
        if size is not None and size > limit:
            raise build_refusal("too_many_entries", count=size // _ENTRY_BYTES, most=self._limits.entries)
        return super().read(limit if size is None or size < 0 else size)


def _refuse_twins(entries: Sequence[Entry]) -> None:
    """Readers disagree about which of two entries with the same name is meant."""
    seen: dict[str, str] = {}
    folders: dict[str, str] = {}
    for each in entries:
        key = paths.fold_path(each.path)
        if key in seen:
            code = "duplicate_name" if seen[key] == each.path else "names_differ_in_case"
            raise build_refusal(code, each.path, other=clean_text(seen[key]))
        seen[key] = each.path
        parts = key.split("/")
        folders |= {"/".join(parts[:depth]): each.path for depth in range(1, len(parts))}
    if both := next((each for each in folders if each in seen), None):
        raise build_refusal("file_and_folder", seen[both])


def _raw(info: ZipInfo) -> bytes:
    """Returns a name's bytes. ZipFile reads names that are not marked as UTF-8 as cp437."""
    return info.orig_filename.encode("utf-8" if info.flag_bits & _UTF8_FLAG else "cp437")


@contextmanager
def _as_refusals(where: str = "") -> Iterator[None]:
    try:
        yield
    except _ARCHIVE_ERRORS as error:
        if "encrypted" in str(error):
            raise build_refusal("encrypted", where) from None
        raise build_refusal("damaged", where) from None
