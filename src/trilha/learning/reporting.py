"""What all reports of the player have in common: how they are numbered, and whom they belong to."""

import hashlib
import json
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec
from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.errors import BadRequest, NotFound, invalid
from trilha.enrollments.schema import EnrollmentStatus
from trilha.learning import attempt_queries, queries, rules
from trilha.learning.criteria import Reached
from trilha.learning.schema import Attempt, Head, Launch
from trilha.scorm.runtime.mapping import State

_MOST_SEQUENCE = 2**53


class Numbered(Struct, frozen=True):
    """A body with its number in the launch. `hash` is of the whole body, `base` what the page began with: see
    `Commit`."""

    body: dict[str, Any]
    sequence: int
    final: bool
    hash: bytes
    base: int | None = None


def read_numbered(raw: bytes) -> Numbered:
    """An object with `launch: {sequence, final}`. Raises BadRequest (malformed_json) and Invalid."""
    body = _decoded(raw)
    if not isinstance(body, dict):
        raise invalid("", "invalid_type")
    said = body.get("launch")
    sequence = said.get("sequence") if isinstance(said, dict) else None
    if not isinstance(said, dict) or not isinstance(sequence, int) or isinstance(sequence, bool):
        raise invalid("launch.sequence", "invalid_type")
    if not 1 <= sequence < _MOST_SEQUENCE:
        raise invalid("launch.sequence", "out_of_range")
    base = said.get("base")
    return Numbered(
        body,
        sequence,
        said.get("final") is True,
        hashlib.sha256(raw).digest(),
        base if isinstance(base, int) else None,
    )


def _decoded(raw: bytes) -> object:
    """Raises BadRequest (malformed_json)."""
    try:
        return msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    try:
        # Content that cuts a text in the middle of a character sends half of one.
        return _whole(json.loads(raw, parse_constant=_refuse))
    except (ValueError, RecursionError):
        raise BadRequest("malformed_json") from None


def _refuse(constant: str) -> object:
    """Of NaN and the infinities, which are no JSON."""
    raise ValueError(constant)


def _whole(value: object) -> object:
    """The same with a question mark in place of each half of a character, which nothing can store."""
    if isinstance(value, str):
        return value.encode(errors="replace").decode()
    if isinstance(value, dict):
        return {_whole(name): _whole(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_whole(each) for each in value]
    return value


async def locked(tx: Tx, launch_id: UUID) -> tuple[Head, Launch, Attempt]:
    """The head's lock orders everything of the enrollment. Raises NotFound (launch_not_found)."""
    enrollment_id = await attempt_queries.find_enrollment_of(tx, launch_id)
    if enrollment_id is None:
        raise NotFound("launch_not_found")
    head = await queries.lock_head(tx, enrollment_id)
    return head, *await attempt_queries.get_launch(tx, launch_id)


def standing(head: Head, launch: Launch, attempt: Attempt, base: int | None = None) -> rules.Standing:
    return rules.Standing(
        last_sequence=launch.last_sequence,
        last_hash=launch.last_hash,
        superseded=launch.superseded_by is not None,
        newer_applied=attempt.newest_launch > launch.number,
        seen_at=moment(launch.seen_at),
        over=head.status == EnrollmentStatus.EXPIRED,
        outdated=rules.is_outdated(base, launch.number, attempt.late_commits, attempt.late_launch),
    )


def told_state(state: State) -> dict[str, Any]:
    """As the log tells it."""
    return {name: getattr(state, name) for name in ("completion", "success", "score", "progress")}


def reached(state: State) -> Reached:
    met = state.completion == "completed" and state.success != "failed"
    return Reached(state.progress, state.score, met)


def moment(at: str) -> datetime:
    return datetime.fromisoformat(at)
