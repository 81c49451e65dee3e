"""Counts what a learner watches and reads, as far as the server's clock allows.

Whatever a script sends, no report raises anything beyond `launch_not_found` and a malformed body. Each report
describes the whole attempt, so that nothing is lost when a later report overtakes an earlier one.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from uuid import UUID

import msgspec

from trilha.core.database import Tx
from trilha.core.errors import NotFound, invalid
from trilha.training.courses.schema import ModuleType
from trilha.training.learning.completion import actions as completion
from trilha.training.learning.evidence import log
from trilha.training.learning.launches import queries as launch_queries
from trilha.training.learning.launches import rules as launch_rules
from trilha.training.learning.launches.schema import LockedLaunch
from trilha.training.learning.player_reports import parsing
from trilha.training.learning.player_reports import queries as report_queries
from trilha.training.learning.player_reports import rules as report_rules
from trilha.training.learning.player_reports.schema import ReportResult
from trilha.training.learning.studies import materials, queries, rules
from trilha.training.learning.studies.schema import (
    ArticleProgress,
    DocumentProgress,
    StudyKind,
    StudyMaterial,
    StudyProgress,
    StudyReport,
    VideoProgress,
)
from trilha.training.scorm.runtime.mapping import State

# Clocks differ by a few seconds, so that fewer uncounted seconds than this are not worth mentioning.
_NOTEWORTHY_SECONDS = 5.0


class _Study(NamedTuple):
    """How one kind of module is studied.

    `add` takes the stored progress, the reported progress, the material and the free seconds of the learner's
    time; it returns the new progress and the seconds that it took of them.
    """

    module_type: ModuleType
    progress_type: type[Any]
    add: Callable[[Any, Any, StudyMaterial, float], tuple[StudyProgress, float]]
    compute_state: Callable[[Any, StudyMaterial], State]


_STUDIES: Mapping[StudyKind, _Study] = {
    "watched": _Study(
        "VIDEO",
        VideoProgress,
        lambda before, reported, material, free: rules.add_watched(before, reported, material.seconds, free),
        lambda progress, _: rules.compute_video_state(progress),
    ),
    "dwelled": _Study(
        "DOCUMENT",
        DocumentProgress,
        lambda before, reported, material, free: rules.add_viewed(before, reported, material.pages, free),
        lambda progress, _: rules.compute_document_state(progress),
    ),
    "read": _Study(
        "ARTICLE",
        ArticleProgress,
        lambda before, reported, _, free: rules.add_read(before, reported, free),
        lambda progress, material: rules.compute_article_state(progress, material.words),
    ),
}


def read_report(kind: StudyKind, raw: bytes) -> StudyReport:
    """Reads the members of a `VideoProgress`, `DocumentProgress` or `ArticleProgress`, and `launch`.

    Raises BadRequest (malformed_json) and Invalid.
    """
    body, members = parsing.read_report(raw)
    try:
        progress = msgspec.convert(body, _STUDIES[kind].progress_type, str_keys=True)
    except (msgspec.ValidationError, OverflowError):
        raise invalid("", "invalid_type") from None
    return StudyReport(progress=progress, **members)


async def apply_report(
    tx: Tx, launch_id: UUID, kind: StudyKind, report: StudyReport, *, held: bool = False
) -> ReportResult:
    """Adds what was watched or read to the attempt, also after the enrollment was completed.

    Raises NotFound (launch_not_found) if it is no launch of a module of this kind.
    """
    locked = await launch_queries.lock_launch(tx, launch_id)
    head, launch, attempt = locked[:3]
    material = await materials.get_material(tx, attempt)
    study = _STUDIES[kind]
    if material.type != study.module_type:
        raise NotFound("launch_not_found")
    outcome = report_rules.decide_report_outcome(locked, report, tx.now, held=held)
    if outcome == "REPEATED":
        return ReportResult(outcome, locked.is_superseded, progress=attempt.progress)
    detail = report_rules.describe_report(report, outcome, held=held)
    if outcome in ("APPLIED", "REVIEW"):
        await report_queries.set_last_report(tx, launch, report, held=held)
    if outcome != "APPLIED":
        await log.append(tx, head, kind, launch.id, **detail)
        if report_rules.is_unappliable(outcome, held=held):
            await report_queries.store_unapplied(tx, launch, kind, outcome, report)
        return ReportResult(outcome, locked.is_superseded)
    state, seconds, uncounted = await _count(tx, locked, study, material, report)
    detail |= {"counted": seconds, "state": report_rules.describe_state(state)}
    head = await log.append(tx, head, kind, launch.id, **detail)
    completed = await completion.record_progress(tx, head, launch.id, attempt.module_id, state)
    if held and uncounted > _NOTEWORTHY_SECONDS:
        await report_queries.store_unapplied(tx, launch, kind, "PARTLY", report)
    return ReportResult(outcome, locked.is_superseded, completed, state.progress, uncounted)


async def _count(
    tx: Tx, locked: LockedLaunch, study: _Study, material: StudyMaterial, report: StudyReport
) -> tuple[State, float, float]:
    """Stores the new progress. Returns its state, the seconds that count, and those that do not."""
    head, launch, attempt = locked[:3]
    clock = await launch_queries.lock_clock(tx, head.user_id)
    # A launch may report what earlier launches could not send, so that their time counts as free too.
    start = await queries.get_first_start(tx, attempt, launch, launch_rules.SILENCE_LIMIT)
    until = clock.studied_until if clock else None
    before = materials.read_progress(material, study.progress_type)
    free = rules.count_free_seconds(start, until, tx.now)
    progress, seconds = study.add(before, report.progress, material, free)
    if seconds:
        until = rules.advance_studied_until(start, until, seconds, tx.now)
        await launch_queries.set_studied_until(tx, head.user_id, until)
    state = study.compute_state(progress, material)
    # An attempt stays completed if the length of its file becomes known later, or if its text grows.
    if attempt.completion == "completed":
        state = State(completion="completed", progress=100.0)
    await queries.store_progress(tx, attempt, launch, state, progress, final=report.final)
    return state, round(seconds, 3), rules.count_uncounted_seconds(progress, report.progress)
