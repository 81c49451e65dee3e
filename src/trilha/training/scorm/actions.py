"""The import of a package, from its upload to its end. The worker reads the contents: see `jobs`."""

from typing import Any

from trilha.core.database import Tx
from trilha.platform.audit import queries as audit
from trilha.platform.tenants.quotas import actions as quotas
from trilha.training.scorm import queries, rules, words
from trilha.training.scorm.package import doctor
from trilha.training.scorm.package.extraction import Extraction
from trilha.training.scorm.package.report import Finding, Value, clean_text
from trilha.training.scorm.rules import State
from trilha.training.scorm.schema import Package, RunningImport, StoredArchive

_AUDIT_ACTIONS: dict[State, str] = {
    "READY": "package.imported",
    "REFUSED": "package.refused",
    "FAILED": "package.failed",
}


async def start_import(tx: Tx, archive: StoredArchive, file_name: str) -> Package:
    """Starts an import of an `archive` stored by `archives.keep`, which is removed at the end.
    `file_name` is the uploader's name for it. Raises BusinessRule (quota_exceeded).
    """
    await quotas.check_storage(tx, archive.size)
    title = rules.title_of_file(file_name)
    await queries.insert(tx, archive, clean_text(file_name), title)
    await audit.record(tx, "package.uploaded", archive.id, title, size=archive.size)
    return await queries.get(tx, archive.id)


async def finish(tx: Tx, running: RunningImport, extraction: Extraction) -> bool:
    """Stores the result of an import. Returns False if another worker has taken it over."""
    report = words.build_report(extraction.report)
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
    """Ends an import that failed on our side, not because of the package. Returns False if another worker
    has taken it over.
    """
    finding = Finding(severity="error", code=code, values=values)
    report = words.build_report(doctor.refusal([finding]))
    return await _finish(tx, running, "FAILED", {"report": report})


async def _finish(tx: Tx, running: RunningImport, state: State, values: dict[str, Any]) -> bool:
    if not await queries.finish(tx, running, state, values):
        return False
    title = values.get("title") or rules.title_of_file(running.file_name)
    codes = [each.code for each in values["report"].findings if each.severity == "error"]
    await audit.record(tx, _AUDIT_ACTIONS[state], running.id, title, **({"reasons": codes} if codes else {}))
    return True
