"""The report about a package for the administrator, before any of it is published."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from trilha.training.scorm.package.links import candidates
from trilha.training.scorm.package.manifest import Item, Manifest, Version, walk
from trilha.training.scorm.package.paths import Lookup
from trilha.training.scorm.package.report import Finding, Severity, Value, clean_text
from trilha.training.scorm.package.scanning import Scan
from trilha.training.scorm.package.tools import tool_of

Verdict = Literal["accepted", "refused"]
_ORDER = ("error", "warning", "info")
# Problems of a manifest that could be read nevertheless.
_SEVERITIES: Mapping[str, Severity] = {"no_organization": "info", "identifier_not_unique": "info"}


class Report(Struct, frozen=True, kw_only=True):
    """The findings. `hosts` are other servers from which pages load something. Unknown values are empty
    or null.
    """

    verdict: Verdict
    findings: Sequence[Finding]
    version: Version | None = None
    edition: str = ""
    tool: str = ""
    scos: int = 0
    assets: int = 0
    files: int = 0
    size: int = 0
    hosts: Sequence[str] = ()


class Examination(Struct, frozen=True, kw_only=True):
    """All facts about a package that was read completely. `files` are stored paths and their sizes."""

    manifest: Manifest
    files: Mapping[str, int]
    scan: Scan
    folder: str
    left_out: int
    renamed: Sequence[tuple[str, str]]


def refusal(findings: Sequence[Finding]) -> Report:
    """The report about a package that could not be read to its end."""
    return Report(verdict="refused", findings=findings)


def report(examination: Examination) -> Report:
    findings = sorted(_findings(examination), key=lambda each: _ORDER.index(each.severity))
    launchable = list(examination.manifest.launchable())
    # Every assignable unit of cmi5 reports its progress.
    scos = sum(item.sco or item.unit is not None for item in launchable)
    said = examination.manifest.generator or next(
        (
            said
            for item in launchable
            if item.launch and (said := examination.scan.generators.get(item.launch.path))
        ),
        "",
    )
    return Report(
        verdict="refused" if any(each.severity == "error" for each in findings) else "accepted",
        findings=findings,
        version=examination.manifest.version,
        edition=examination.manifest.edition,
        tool=tool_of(examination.files, said),
        scos=scos,
        assets=len(launchable) - scos,
        files=len(examination.files),
        size=sum(examination.files.values()),
        hosts=sorted(examination.scan.hosts),
    )


def _findings(examination: Examination) -> Iterator[Finding]:
    for code in dict.fromkeys(examination.manifest.problems):
        yield _finding(_SEVERITIES.get(code, "warning"), code)
    if examination.folder:
        yield _finding("info", "nested_folder", examination.folder)
    if examination.left_out:
        yield _finding("warning", "files_outside", examination.folder, count=examination.left_out)
    for wanted, stored in examination.renamed:
        yield _finding("info", "launch_misnamed", stored, wanted=clean_text(wanted))
    yield from _items(examination)
    yield from _files(examination)
    yield from _behaviour(examination)


def _items(examination: Examination) -> Iterator[Finding]:
    items = list(examination.manifest.launchable())
    if examination.manifest.version == "cmi5":
        yield from _units(items)
    elif not any(item.sco for item in items):
        yield _finding("warning", "no_sco")
    elif not examination.scan.api:
        yield _finding("warning", "api_not_used")
    if len(items) > 1:
        yield _finding("info", "several_parts", count=len(items))
    if any(item.prerequisites for item in items):
        yield _finding("info", "prerequisites")
    if any(item.sequencing.get("sequencingRules") for item in walk(examination.manifest.items)):
        yield _finding("info", "sequencing")


def _units(items: Sequence[Item]) -> Iterator[Finding]:
    """What to know of the assignable units of cmi5."""
    elsewhere = [item.unit.url for item in items if item.unit and item.unit.url]
    if elsewhere:
        yield _finding("info", "units_elsewhere", elsewhere[0], count=len(elsewhere))
    if any(address.lower().startswith("http:") for address in elsewhere):
        yield _finding("warning", "units_unencrypted")
    if any(item.unit and item.unit.move_on == "NotApplicable" for item in items):
        yield _finding("warning", "units_without_criterion")


def _files(examination: Examination) -> Iterator[Finding]:
    lookup = Lookup(examination.files)
    missing, misnamed = list[str](), list[str]()
    for path in examination.manifest.declared:
        likely = candidates(path)
        if any(each in examination.files for each in likely):
            continue
        (misnamed if any(lookup.path(each) for each in likely) else missing).append(path)
    if missing:
        yield _finding("warning", "files_missing", missing[0], count=len(missing))
    if misnamed:
        yield _finding("info", "files_misnamed", misnamed[0], count=len(misnamed))
    if unreadable := next((path for path in examination.files if "\ufffd" in path), None):
        yield _finding("warning", "name_unreadable", unreadable)
    if flash := next((path for path in examination.files if path.lower().endswith((".swf", ".flv"))), None):
        yield _finding("warning", "flash", flash)


def _behaviour(examination: Examination) -> Iterator[Finding]:
    scan = examination.scan
    if scan.hosts:
        first = next(iter(scan.hosts))
        yield _finding("warning", "external_hosts", scan.hosts[first], count=len(scan.hosts), host=first)
    if scan.parent:
        yield _finding("warning", "reaches_for_parent", scan.parent[0])
    if scan.service_worker:
        # A page that begins with it was made to intercept requests; a library may contain it
        # anywhere.
        opened = {item.launch.path for item in examination.manifest.launchable() if item.launch}
        first = next((path for path in scan.service_worker if path in opened), "")
        severity: Severity = "error" if first else "warning"
        code = "service_worker" if first else "service_worker_inside"
        yield _finding(severity, code, first or scan.service_worker[0])


def _finding(severity: Severity, code: str, where: str = "", **values: Value) -> Finding:
    return Finding(severity=severity, code=code, where=clean_text(where), values=values)
