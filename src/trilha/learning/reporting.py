"""What all reports of the player have in common: how they are numbered, and whom they belong to."""

import hashlib
import json
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec

from trilha.core.database import Tx
from trilha.core.errors import BadRequest, NotFound, invalid
from trilha.enrollments.schema import EnrollmentStatus
from trilha.learning import attempt_queries, queries, rules
from trilha.learning.criteria import Reached
from trilha.learning.schema import Attempt, Head, Launch, Report
from trilha.scorm.runtime.mapping import State

_MOST_SEQUENCE = 2**53
_MOST_MILLISECONDS = 1e14  # some thousand years
_MOST_LEFT_OUT = 1_000_000


def read_report(raw: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    """Reads an object with `launch: {sequence, final}`: the body, and the members of its `Report`.

    Raises BadRequest (malformed_json) and Invalid.
    """
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
    return body, {
        "sequence": sequence,
        "final": said.get("final") is True,
        "hash": hashlib.sha256(raw).digest(),
        "raw": raw,
        "base": base if isinstance(base, int) else None,
        "sent_at": _bounded(said.get("sent_at"), _MOST_MILLISECONDS),
        "left_out": int(_bounded(said.get("left_out"), _MOST_LEFT_OUT)),
    }


def _bounded(said: object, most: float) -> float:
    """A number as a browser says it; 0 for anything else."""
    is_number = isinstance(said, int | float) and not isinstance(said, bool)
    return float(said) if is_number and 0 <= said <= most else 0.0  # type: ignore[arg-type, operator]


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


def judge(tx: Tx, head: Head, launch: Launch, attempt: Attempt, sent: Report, *, held: bool) -> rules.Outcome:
    """What becomes of a report by its number and by where its launch stands."""
    return rules.outcome_of(
        standing(head, launch, attempt, sent.base), sent.sequence, sent.hash, tx.now, held=held
    )


def standing(head: Head, launch: Launch, attempt: Attempt, base: int | None = None) -> rules.Standing:
    return rules.Standing(
        last_sequence=launch.last_sequence,
        last_hash=launch.last_hash,
        superseded=launch.superseded_by is not None,
        newer_applied=attempt.newest_launch > launch.number,
        seen_at=moment(launch.seen_at),
        over=head.status == EnrollmentStatus.EXPIRED,
        outdated=rules.is_outdated(base, launch.number, attempt.late_commits, attempt.late_launch),
        review=launch.review,
    )


def told_sending(sent: Report, *, held: bool) -> dict[str, Any]:
    """What the log tells of how a report came, where that is unusual."""
    return ({"held": True} if held else {}) | ({"left_out": sent.left_out} if sent.left_out else {})


def told_state(state: State) -> dict[str, Any]:
    """As the log tells it."""
    return {name: getattr(state, name) for name in ("completion", "success", "score", "progress")}


def reached(state: State) -> Reached:
    met = state.completion == "completed" and state.success != "failed"
    return Reached(state.progress, state.score, met)


def moment(at: str) -> datetime:
    return datetime.fromisoformat(at)
