"""Extracts a package: its manifest, its numbered files, and the report."""

import codecs
import posixpath
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct, structs

from trilha.training.scorm.package import archive, doctor
from trilha.training.scorm.package.archive import Archive, Entry
from trilha.training.scorm.package.course_structure import read_course_structure
from trilha.training.scorm.package.limits import LIMITS, Limits
from trilha.training.scorm.package.links import Launch, candidates
from trilha.training.scorm.package.manifest import Item, Manifest, read_manifest
from trilha.training.scorm.package.mime import media_type
from trilha.training.scorm.package.paths import Lookup, fold_path
from trilha.training.scorm.package.report import PackageRefused, build_refusal
from trilha.training.scorm.package.scanning import Scanner

_HEAD = 64
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
Progress = Callable[[int, int], None]


class StoredFile(Struct, frozen=True, omit_defaults=True):
    """A file and the `number` under which it is stored; `encoding` as in `mime.MediaType`."""

    number: int
    size: int
    type: str
    encoding: str = ""


class Extraction(Struct, frozen=True, kw_only=True):
    """The result. `manifest` and `files`, by path, are set if the report accepts the package."""

    report: doctor.Report
    manifest: Manifest | None = None
    files: dict[str, StoredFile] = {}


def extract(
    path: Path, target: Path, limits: Limits = LIMITS, progress: Progress | None = None
) -> Extraction:
    """Unpacks into the empty folder `target`. `progress` receives the bytes done and the total.

    The caller removes the folder of a refused package.
    """
    try:
        if _is_xml(path):
            return _read_alone(path, limits)
        with archive.open_archive(path, limits) as opened:
            return _Package(opened, limits).extract(target, progress or _silent)
    except PackageRefused as error:
        return Extraction(report=doctor.refusal(error.findings))


def _is_xml(path: Path) -> bool:
    """Tells whether the file is not an archive, but a course structure alone. A web page is neither."""
    with path.open("rb") as file:
        head = file.read(_HEAD)
    text = head.removeprefix(codecs.BOM_UTF8).lstrip().lower()
    is_page = text.startswith((b"<html", b"<!doctype html"))
    return (text.startswith(b"<") and not is_page) or head.startswith(_UTF16)


def _read_alone(path: Path, limits: Limits) -> Extraction:
    """Reads a course structure whose parts are all on other servers."""
    with path.open("rb") as file:
        raw = file.read(limits.manifest + 1)
    manifest = read_course_structure(raw, in_package=False, limits=limits)
    examination = doctor.Examination(
        manifest=manifest, files={}, scan=Scanner().found, folder="", left_out=0, renamed=[]
    )
    return Extraction(report=doctor.report(examination), manifest=manifest)


class _Package:
    def __init__(self, archive: Archive, limits: Limits) -> None:
        archive.examine()
        structure = archive.find_course_structure()
        folder, number = ("", structure) if structure is not None else archive.manifest()
        self._archive = archive
        raw = archive.read(number, limits.manifest, "manifest_too_large")
        self._manifest = (
            read_manifest(raw, limits)
            if structure is None
            else read_course_structure(raw, in_package=True, limits=limits)
        )
        entries = archive.entries([folder + path for path in _paths_of(self._manifest)])
        self._folder = next((posixpath.dirname(each.path) for each in entries if each.number == number), "")
        self._entries = _below(entries, self._folder)
        self._left_out = len(entries) - len(self._entries)

    def extract(self, target: Path, progress: Progress) -> Extraction:
        sizes = {each.path: each.size for each in self._entries}
        renamed = list[tuple[str, str]]()
        items = _resolve_launches(self._manifest.items, Lookup({path: path for path in sizes}), renamed)
        manifest = structs.replace(self._manifest, items=items)
        scanner = Scanner()
        files = self._unpack(target, scanner, progress)
        report = doctor.report(
            doctor.Examination(
                manifest=manifest,
                files=sizes,
                scan=scanner.found,
                folder=self._folder,
                left_out=self._left_out,
                renamed=renamed,
            )
        )
        if report.verdict == "refused":
            return Extraction(report=report)
        # Only the report needs the declared files.
        stored = structs.replace(manifest, declared=[], problems=[])
        return Extraction(report=report, manifest=stored, files=files)

    def _unpack(self, target: Path, scanner: Scanner, progress: Progress) -> dict[str, StoredFile]:
        files = {}
        total = sum(each.size for each in self._entries)
        done = 0
        for entry in self._entries:
            head = bytearray()
            take, end = scanner.file(entry.path)

            def take_piece(
                piece: bytes, head: bytearray = head, take: Callable[[bytes], None] = take
            ) -> None:
                nonlocal done
                head.extend(piece[: _HEAD - len(head)] if len(head) < _HEAD else b"")
                take(piece)
                done += len(piece)
                progress(done, total)

            self._archive.unpack(entry, target / str(entry.number), take_piece)
            end()
            kind = media_type(entry.path, bytes(head))
            files[entry.path] = StoredFile(entry.number, entry.size, kind.type, kind.encoding)
        return files


def _paths_of(manifest: Manifest) -> list[str]:
    launched = [item.launch.path for item in manifest.launchable() if item.launch]
    return [each for path in (*manifest.declared, *launched) for each in candidates(path)]


def _below(entries: Sequence[Entry], folder: str) -> list[Entry]:
    """The entries in the manifest's folder, by their paths relative to it. Some archives spell the folder
    in two ways.
    """
    if not folder:
        return list(entries)
    prefix = fold_path(folder) + "/"
    return [
        structs.replace(each, path=each.path[len(folder) + 1 :])
        for each in entries
        if fold_path(each.path).startswith(prefix)
    ]


def _resolve_launches(
    items: Sequence[Item], lookup: Lookup[str], renamed: list[tuple[str, str]]
) -> list[Item]:
    """Resolves the launch file of each item. Raises Refused (launch_missing)."""
    found = []
    for item in items:
        launch = _resolve_launch(item, lookup, renamed) if item.launch else None
        found.append(
            structs.replace(item, launch=launch, items=_resolve_launches(item.items, lookup, renamed))
        )
    return found


def _resolve_launch(item: Item, lookup: Lookup[str], renamed: list[tuple[str, str]]) -> Launch:
    assert item.launch is not None
    likely = candidates(item.launch.path)
    stored = next((path for each in likely if (path := lookup.path(each))), None)
    if stored is None:
        raise build_refusal("launch_missing", likely[0], item=item.title)
    if stored not in likely:
        renamed.append((likely[0], stored))
    return structs.replace(item.launch, path=stored)


def _silent(done: int, total: int) -> None:
    pass
