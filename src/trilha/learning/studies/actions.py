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
from trilha.learning.completion import rules as completion_rules
from trilha.learning.evidence import log
from trilha.learning.evidence.schema import Head
from trilha.learning.launches import clock_queries
from trilha.learning.launches import queries as launch_queries
from trilha.learning.launches import rules as launch_rules
from trilha.learning.launches.schema import Launch
from trilha.learning.reports import actions as reports
from trilha.learning.reports import parsing, unapplied
from trilha.learning.reports import queries as report_queries
from trilha.learning.reports import rules as report_rules
from trilha.learning.reports.schema import Committed
from trilha.learning.studies import materials, queries, rules
from trilha.learning.studies.schema import (
    AnyStudied,
    Article,
    Document,
    StoredMaterial,
    Studied,
    Study,
    Video,
)
from trilha.scorm.runtime.mapping import State

# Fewer seconds that do not count are nothing to tell a learner of: clocks differ by as much.
_NOTEWORTHY_SECONDS = 5.0

_Kind = Literal["watched", "dwelled", "read"]

# What was kept, what the player says, and the seconds of the person's time that are free: what is kept from
# now on, what that took of them, and the state it makes.
_Judge = Callable[[StoredMaterial, Any, float], tuple[Studied, float, State]]


def read_watched(raw: bytes) -> Study:
    """`{ranges: [[from, to], …], position, length}` in seconds. Raises BadRequest (malformed_json) and
    Invalid."""
    return _read(raw, Video)


def read_dwelled(raw: bytes) -> Study:
    """`{pages: {number: seconds}, position, count}`. Raises as `read_watched` does."""
    return _read(raw, Document)


def read_read(raw: bytes) -> Study:
    """`{seconds, furthest, position}`, shares from 0 to 1. Raises as `read_watched` does."""
    return _read(raw, Article)


def _read(raw: bytes, kind: type[AnyStudied]) -> Study:
    body, members = parsing.read_report(raw)
    try:
        said = msgspec.convert(body, kind, str_keys=True)
    except (msgspec.ValidationError, OverflowError):
        raise invalid("", "invalid_type") from None
    return Study(said=said, **members)


async def watched(tx: Tx, launch_id: UUID, sent: Study, *, held: bool = False) -> Committed:
    """A part of a video. Raises NotFound (launch_not_found) where it is no launch of one."""
    return await _take(tx, launch_id, sent, "VIDEO", "watched", _judge_video, held=held)


async def dwelled(tx: Tx, launch_id: UUID, sent: Study, *, held: bool = False) -> Committed:
    """Pages of a document. Raises NotFound (launch_not_found) where it is no launch of one."""
    return await _take(tx, launch_id, sent, "DOCUMENT", "dwelled", _judge_document, held=held)


async def read(tx: Tx, launch_id: UUID, sent: Study, *, held: bool = False) -> Committed:
    """A part of an article. Raises NotFound (launch_not_found) where it is no launch of one."""
    return await _take(tx, launch_id, sent, "ARTICLE", "read", _judge_article, held=held)


async def _take(
    tx: Tx,
    launch_id: UUID,
    sent: Study,
    type: ModuleType,
    kind: _Kind,
    judge: _Judge,
    *,
    held: bool,
) -> Committed:
    """Counts what the server's clock has room for. It only adds, also once the enrollment is completed."""
    head, launch, attempt = await launch_queries.locked(tx, launch_id)
    material = await materials.get_material(tx, attempt)
    if material.type != type:
        raise NotFound("launch_not_found")
    outcome = reports.judge(tx, head, launch, attempt, sent, held=held)
    superseded = launch.superseded_by is not None
    if outcome == "REPEATED":
        return Committed(outcome, superseded, progress=attempt.progress)
    detail = {"sequence": sent.sequence, "final": sent.final, "outcome": outcome, "body": sent.hash.hex()}
    detail |= reports.told_sending(sent, held=held)
    if outcome in ("APPLIED", "REVIEW"):
        await report_queries.take_commit(tx, launch, sent, held=held)
    if outcome != "APPLIED":
        await log.append(tx, head, kind, launch.id, **detail)
        if report_rules.is_given_up(outcome, held=held):
            await unapplied.keep_report(tx, launch, kind, outcome, sent)
        return Committed(outcome, superseded)
    state, seconds, uncounted = await _count(tx, head, launch, attempt, material, sent, judge)
    head = await log.append(
        tx, head, kind, launch.id, **detail, counted=seconds, state=reports.told_state(state)
    )
    completed = await completion.evaluate(
        tx, head, launch.id, attempt.module_id, completion_rules.reached(state)
    )
    if held and uncounted > _NOTEWORTHY_SECONDS:
        await unapplied.keep_report(tx, launch, kind, "PARTLY", sent)
    return Committed(outcome, superseded, completed, state.progress, uncounted)


async def _count(
    tx: Tx,
    head: Head,
    launch: Launch,
    attempt: Attempt,
    material: StoredMaterial,
    sent: Study,
    judge: _Judge,
) -> tuple[State, float, float]:
    """The state from now on, the seconds that count, and those that do not."""
    clock = await clock_queries.lock_clock(tx, head.user_id)
    # What an earlier launch could not send, a later one sends: its time was seen here, too.
    launched_at = await queries.get_first_start(tx, attempt, launch, launch_rules.LATE)
    until = clock.studied_until if clock else None
    studied, seconds, state = judge(material, sent.said, rules.allowed(launched_at, until, tx.now))
    if seconds:
        until = rules.spent_until(launched_at, until, seconds, tx.now)
        await clock_queries.set_studied_until(tx, head.user_id, until)
    # A file whose length became known, or a text that has grown, takes nothing back.
    if attempt.completion == "completed":
        state = State(completion="completed", progress=100.0)
    await queries.update_studied(tx, attempt, launch, state, studied, final=sent.final)
    return state, round(seconds, 3), rules.uncounted(studied, sent.said)


def _judge_video(material: StoredMaterial, said: Video, free: float) -> tuple[Studied, float, State]:
    video, seconds = rules.watch(materials.kept(material, Video), said, material.seconds, free)
    return video, seconds, rules.state_of_video(video)


def _judge_document(material: StoredMaterial, said: Document, free: float) -> tuple[Studied, float, State]:
    document, seconds = rules.show(materials.kept(material, Document), said, material.pages, free)
    return document, seconds, rules.state_of_document(document)


def _judge_article(material: StoredMaterial, said: Article, free: float) -> tuple[Studied, float, State]:
    article, seconds = rules.read(materials.kept(material, Article), said, free)
    return article, seconds, rules.state_of_article(article, material.words)
