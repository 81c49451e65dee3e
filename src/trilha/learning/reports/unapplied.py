"""Work that could not be applied to its attempt any more, kept for whoever looks after learners."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Literal
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.types import Timestamp
from trilha.learning.launches.schema import Launch
from trilha.learning.reports.schema import Outcome, Report, ReportKind

# PARTLY: some of it counts. INVALID: it could not be read.
UnappliedOutcome = Outcome | Literal["PARTLY", "INVALID"]

# A report tells of all that came before it in its launch: the newest ones say the most.
MAX_REPORTS = 20

MAX_BYTES = 4 * 1024 * 1024

# Of all launches of an attempt together: a person may open a module as often as they like.
MAX_BYTES_OF_ATTEMPT = 16 * 1024 * 1024

_EPOCH = datetime.fromisoformat("1970-01-01T00:00:00+00:00")


class ReportSummary(Struct, frozen=True):
    """What a person reads of a report. `status` is as content said it."""

    status: str = ""
    score: float | None = None
    answers: int = 0


def summarize_commit(cmi: Mapping[str, Any]) -> ReportSummary:
    """Summarizes a clean commit of either version."""
    core = cmi.get("core", {})
    statuses = (core.get("lesson_status"), cmi.get("success_status"), cmi.get("completion_status"))
    score = core.get("score", {}) or cmi.get("score", {})
    raw, scaled = score.get("raw"), score.get("scaled")
    return ReportSummary(
        next((each for each in statuses if each and each != "unknown"), ""),
        float(raw) if raw else float(scaled) * 100 if scaled else None,
        len(cmi.get("interactions", {})),
    )


def compute_done_at(sent: Report, now: datetime) -> datetime | None:
    """When it was done, by the browser's clock; never in the future. None where the browser does not say."""
    return min(_EPOCH + timedelta(milliseconds=sent.sent_at), now) if sent.sent_at else None


async def store_unapplied(
    tx: Tx,
    launch: Launch,
    kind: ReportKind,
    outcome: UnappliedOutcome,
    sent: Report,
    summary: ReportSummary = ReportSummary(),  # noqa: B008 - it is frozen
) -> None:
    """Keeps a report once, in the place of the oldest one where the launch has many.

    The head's lock is held: two pages that send the same come one after the other.
    """
    rows = await tx.rows(
        """
        SELECT hash, COALESCE(octet_length(body), 0) AS size FROM unapplied_reports
        WHERE tenant_id = :tenant AND launch_id = :launch_id ORDER BY received_at DESC, sequence DESC
        """,
        launch_id=launch.id,
    )
    if any(row["hash"] == sent.hash for row in rows):
        return
    for row in rows[MAX_REPORTS - 1 :]:
        await tx.execute(
            """
            DELETE FROM unapplied_reports
            WHERE tenant_id = :tenant AND launch_id = :launch_id AND hash = :hash
            """,
            launch_id=launch.id,
            hash=row["hash"],
        )
    size = sum(row["size"] for row in rows[: MAX_REPORTS - 1])
    has_room = (
        size + len(sent.raw) <= MAX_BYTES
        and await _count_bytes(tx, launch.attempt_id) + len(sent.raw) <= MAX_BYTES_OF_ATTEMPT
    )
    await tx.execute(
        """
        INSERT INTO unapplied_reports (tenant_id, launch_id, hash, kind, outcome, sequence, status, score,
                                       answers, body, size, done_at, received_at)
        VALUES (:tenant, :launch_id, :hash, :kind, :outcome, :sequence, :status, :score, :answers, :body,
                :size, :done_at, :now)
        """,
        launch_id=launch.id,
        hash=sent.hash,
        kind=kind,
        outcome=outcome,
        sequence=sent.sequence,
        status=summary.status,
        score=summary.score,
        answers=summary.answers,
        body=sent.raw if has_room else None,
        size=len(sent.raw),
        done_at=compute_done_at(sent, tx.now),
    )


async def _count_bytes(tx: Tx, attempt_id: UUID) -> int:
    """Of all that is kept of an attempt's launches."""
    count: int = await tx.value(
        """
        SELECT COALESCE(sum(octet_length(u.body)), 0)
        FROM launches l JOIN unapplied_reports u ON u.tenant_id = :tenant AND u.launch_id = l.id
        WHERE l.tenant_id = :tenant AND l.attempt_id = :attempt_id
        """,
        attempt_id=attempt_id,
    )
    return count


class UnappliedReport(Struct, frozen=True):
    """`size` is in bytes; `has_body` says whether the report itself is kept."""

    kind: ReportKind
    outcome: UnappliedOutcome
    status: str
    score: float | None
    answers: int
    size: int
    has_body: bool
    done_at: Timestamp | None
    received_at: Timestamp


_COLUMNS = ", ".join(
    "body IS NOT NULL AS has_body" if each == "has_body" else each
    for each in UnappliedReport.__struct_fields__
)


async def list_unapplied(tx: Tx, launch_id: UUID) -> Sequence[UnappliedReport]:
    """Those of a launch, the newest first."""
    return await tx.list(
        UnappliedReport,
        f"""
        SELECT {_COLUMNS} FROM unapplied_reports
        WHERE tenant_id = :tenant AND launch_id = :launch_id ORDER BY received_at DESC, sequence DESC
        """,  # noqa: S608
        launch_id=launch_id,
    )
