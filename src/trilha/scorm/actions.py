"""The import of a package, from its file to its end. What it holds is read by the worker: see `jobs`."""

from typing import Any

from trilha.audit import queries as audit
from trilha.core.database import Tx
from trilha.scorm import queries, rules, words
from trilha.scorm.package import doctor
from trilha.scorm.package.extraction import Extraction
from trilha.scorm.package.report import Finding, Value, shown
from trilha.scorm.rules import State
from trilha.scorm.schema import KeptArchive, Package, RunningImport

_AUDITED: dict[State, str] = {
    "READY": "package.imported",
    "REFUSED": "package.refused",
    "FAILED": "package.failed",
}


async def start_import(tx: Tx, archive: KeptArchive, file_name: str) -> Package:
    """`archive` is kept by `archives.keep`; the import removes it at its end. `file_name` is the person's."""
    title = rules.title_of_file(file_name)
    await queries.insert(tx, archive, shown(file_name), title)
    await audit.record(tx, "package.uploaded", archive.id, title, size=archive.size)
    return await queries.get(tx, archive.id)


async def finish(tx: Tx, running: RunningImport, extraction: Extraction) -> bool:
    """What was read of it is its own from now on. False where another worker has taken it over."""
    report = words.told(extraction.report)
    values: dict[str, Any] = {
        "title": rules.title_of(extraction, running.file_name),
        "version": report.version,
        "edition": report.edition,
        "report": report,
    }
    state = rules.state_of(extraction)
    if state == "READY":
        values |= {"manifest": extraction.manifest, "files": extraction.files}
    return await _finish(tx, running, state, values)


async def fail(tx: Tx, running: RunningImport, code: str, **values: Value) -> bool:
    """For what happened here, not for what it is. False where another worker has taken it over."""
    finding = Finding(severity="error", code=code, values=values)
    report = words.told(doctor.refusal([finding]))
    return await _finish(tx, running, "FAILED", {"report": report})


async def _finish(tx: Tx, running: RunningImport, state: State, values: dict[str, Any]) -> bool:
    if not await queries.finish(tx, running, state, values):
        return False
    title = values.get("title") or rules.title_of_file(running.file_name)
    codes = [each.code for each in values["report"].findings if each.severity == "error"]
    await audit.record(tx, _AUDITED[state], running.id, title, **({"reasons": codes} if codes else {}))
    return True
