"""What is watched and read of modules that are no packages: bounded by the server's clock, and judged.

As with commits, nothing that a script sends raises beyond `launch_not_found` and a body that is none. A
report tells of the whole attempt: what an earlier one said is in it again, so that one that was overtaken
loses nothing.
"""

from collections.abc import Callable
from typing import Any, Literal
from uuid import UUID

import msgspec

from trilha.core.database import Tx
from trilha.core.errors import NotFound, invalid
from trilha.courses.schema import ModuleType
from trilha.learning.attempts.schema import Attempt
from trilha.learning.completion import actions as completion
from trilha.learning.evidence import log
from trilha.learning.evidence.schema import LogHead
from trilha.learning.launches import clock_queries
from trilha.learning.launches import queries as launch_queries
from trilha.learning.launches import rules as launch_rules
from trilha.learning.launches.schema import Launch
from trilha.learning.reports import actions as reports
from trilha.learning.reports import parsing, unapplied
from trilha.learning.reports import queries as report_queries
from trilha.learning.reports import rules as report_rules
from trilha.learning.reports.schema import ReportResult
from trilha.learning.studies import materials, queries, rules
from trilha.learning.studies.schema import (
    AnyStudyProgress,
    ArticleProgress,
    DocumentProgress,
    StudyMaterial,
    StudyProgress,
    StudyReport,
    VideoProgress,
)
from trilha.scorm.runtime.mapping import State

# Fewer seconds that do not count are nothing to tell a learner of: clocks differ by as much.
_NOTEWORTHY_SECONDS = 5.0

_StudyKind = Literal["watched", "dwelled", "read"]

# What was kept, what the player says, and the seconds of the person's time that are free: what is kept from
# now on, what that took of them, and the state it makes.
_Count = Callable[[StudyMaterial, Any, float], tuple[StudyProgress, float, State]]


def read_video_report(raw: bytes) -> StudyReport:
    """`{ranges: [[from, to], …], position, length}` in seconds. Raises BadRequest (malformed_json) and
    Invalid."""
    return _read_study_report(raw, VideoProgress)


def read_document_report(raw: bytes) -> StudyReport:
    """`{pages: {number: seconds}, position, count}`. Raises as `read_watched` does."""
    return _read_study_report(raw, DocumentProgress)


def read_article_report(raw: bytes) -> StudyReport:
    """`{seconds, furthest, position}`, shares from 0 to 1. Raises as `read_watched` does."""
    return _read_study_report(raw, ArticleProgress)


def _read_study_report(raw: bytes, kind: type[AnyStudyProgress]) -> StudyReport:
    body, members = parsing.read_report(raw)
    try:
        said = msgspec.convert(body, kind, str_keys=True)
    except (msgspec.ValidationError, OverflowError):
        raise invalid("", "invalid_type") from None
    return StudyReport(said=said, **members)


async def apply_video_report(
    tx: Tx, launch_id: UUID, sent: StudyReport, *, held: bool = False
) -> ReportResult:
    """A part of a video. Raises NotFound (launch_not_found) where it is no launch of one."""
    return await _apply_report(tx, launch_id, sent, "VIDEO", "watched", _count_video, held=held)


async def apply_document_report(
    tx: Tx, launch_id: UUID, sent: StudyReport, *, held: bool = False
) -> ReportResult:
    """Pages of a document. Raises NotFound (launch_not_found) where it is no launch of one."""
    return await _apply_report(tx, launch_id, sent, "DOCUMENT", "dwelled", _count_document, held=held)


async def apply_article_report(
    tx: Tx, launch_id: UUID, sent: StudyReport, *, held: bool = False
) -> ReportResult:
    """A part of an article. Raises NotFound (launch_not_found) where it is no launch of one."""
    return await _apply_report(tx, launch_id, sent, "ARTICLE", "read", _count_article, held=held)


async def _apply_report(
    tx: Tx,
    launch_id: UUID,
    sent: StudyReport,
    type: ModuleType,
    kind: _StudyKind,
    judge: _Count,
    *,
    held: bool,
) -> ReportResult:
    """Counts what the server's clock has room for. It only adds, also once the enrollment is completed."""
    head, launch, attempt = await launch_queries.lock_launch(tx, launch_id)
    material = await materials.get_material(tx, attempt)
    if material.type != type:
        raise NotFound("launch_not_found")
    outcome = reports.decide_report_outcome(tx, head, launch, attempt, sent, held=held)
    superseded = launch.superseded_by is not None
    if outcome == "REPEATED":
        return ReportResult(outcome, superseded, progress=attempt.progress)
    detail = {"sequence": sent.sequence, "final": sent.final, "outcome": outcome, "body": sent.hash.hex()}
    detail |= reports.describe_delivery(sent, held=held)
    if outcome in ("APPLIED", "REVIEW"):
        await report_queries.set_last_report(tx, launch, sent, held=held)
    if outcome != "APPLIED":
        await log.append(tx, head, kind, launch.id, **detail)
        if report_rules.is_unappliable(outcome, held=held):
            await unapplied.store_unapplied(tx, launch, kind, outcome, sent)
        return ReportResult(outcome, superseded)
    state, seconds, uncounted = await _count_progress(tx, head, launch, attempt, material, sent, judge)
    head = await log.append(
        tx, head, kind, launch.id, **detail, counted=seconds, state=reports.describe_state(state)
    )
    completed = await completion.record_progress(tx, head, launch.id, attempt.module_id, state)
    if held and uncounted > _NOTEWORTHY_SECONDS:
        await unapplied.store_unapplied(tx, launch, kind, "PARTLY", sent)
    return ReportResult(outcome, superseded, completed, state.progress, uncounted)


async def _count_progress(
    tx: Tx,
    head: LogHead,
    launch: Launch,
    attempt: Attempt,
    material: StudyMaterial,
    sent: StudyReport,
    judge: _Count,
) -> tuple[State, float, float]:
    """The state from now on, the seconds that count, and those that do not."""
    clock = await clock_queries.lock_clock(tx, head.user_id)
    # What an earlier launch could not send, a later one sends: its time was seen here, too.
    launched_at = await queries.get_first_start(tx, attempt, launch, launch_rules.SILENCE_LIMIT)
    until = clock.studied_until if clock else None
    studied, seconds, state = judge(material, sent.said, rules.count_free_seconds(launched_at, until, tx.now))
    if seconds:
        until = rules.advance_studied_until(launched_at, until, seconds, tx.now)
        await clock_queries.set_studied_until(tx, head.user_id, until)
    # A file whose length became known, or a text that has grown, takes nothing back.
    if attempt.completion == "completed":
        state = State(completion="completed", progress=100.0)
    await queries.store_progress(tx, attempt, launch, state, studied, final=sent.final)
    return state, round(seconds, 3), rules.count_uncounted_seconds(studied, sent.said)


def _count_video(
    material: StudyMaterial, said: VideoProgress, free: float
) -> tuple[StudyProgress, float, State]:
    video, seconds = rules.add_watched(
        materials.read_progress(material, VideoProgress), said, material.seconds, free
    )
    return video, seconds, rules.compute_video_state(video)


def _count_document(
    material: StudyMaterial, said: DocumentProgress, free: float
) -> tuple[StudyProgress, float, State]:
    document, seconds = rules.add_shown(
        materials.read_progress(material, DocumentProgress), said, material.pages, free
    )
    return document, seconds, rules.compute_document_state(document)


def _count_article(
    material: StudyMaterial, said: ArticleProgress, free: float
) -> tuple[StudyProgress, float, State]:
    article, seconds = rules.add_read(materials.read_progress(material, ArticleProgress), said, free)
    return article, seconds, rules.compute_article_state(article, material.words)
