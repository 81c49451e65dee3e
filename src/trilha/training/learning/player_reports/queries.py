"""The SQL of reports, also of those that could not be applied and are stored for an administrator."""

from collections.abc import Sequence
from uuid import UUID

from trilha.core.database import Tx
from trilha.training.learning.evidence.schema import Change
from trilha.training.learning.launches.schema import Launch, LockedLaunch
from trilha.training.learning.player_reports import rules
from trilha.training.learning.player_reports.schema import (
    Report,
    ReportKind,
    ReportSummary,
    UnappliedOutcome,
    UnappliedReport,
)

# Limits per launch. A report repeats all earlier ones of its launch, so that the newest are worth keeping.
MAX_REPORTS = 20
MAX_BYTES = 4 * 1024 * 1024
# All launches of an attempt together: a learner may open a module as often as they like.
MAX_BYTES_OF_ATTEMPT = 16 * 1024 * 1024
_COLUMNS = ", ".join(
    "body IS NOT NULL AS has_body" if name == "has_body" else name
    for name in UnappliedReport.__struct_fields__
)


async def count_late_commit(tx: Tx, locked: LockedLaunch) -> None:
    """Notes that a superseded launch has changed what newer launches have loaded."""
    await tx.execute(
        """
        UPDATE attempts SET late_commits = late_commits + 1, late_launch = :number
        WHERE tenant_id = :tenant AND id = :attempt_id
        """,
        attempt_id=locked.attempt.id,
        number=locked.launch.number,
    )


def note_last_report(
    launch: Launch, report: Report, *, held: bool, session_seconds: float | None = None
) -> Change:
    """Notes the launch's last report. A report that was held does not keep the launch alive."""
    return Change(
        """
        UPDATE launches SET last_sequence = :sequence, last_hash = :body_hash,
            seen_at = CASE WHEN :held THEN seen_at ELSE CAST(:now AS timestamptz) END,
            left_out = GREATEST(left_out, :left_out),
            session_seconds = COALESCE(:session_seconds, session_seconds),
            ended_at = CASE WHEN :final THEN CAST(:now AS timestamptz) ELSE ended_at END
        WHERE tenant_id = :tenant AND id = :launch_id
        """,
        {
            "launch_id": launch.id,
            "sequence": report.sequence,
            "body_hash": report.hash,
            "final": report.final,
            "left_out": report.left_out,
            "held": held,
            "session_seconds": session_seconds,
        },
    )


async def set_last_report(tx: Tx, launch: Launch, report: Report, *, held: bool) -> None:
    """Notes the launch's last report at once."""
    change = note_last_report(launch, report, held=held)
    await tx.execute(change.sql, **change.params)


async def store_unapplied(
    tx: Tx,
    launch: Launch,
    kind: ReportKind,
    outcome: UnappliedOutcome,
    report: Report,
    summary: ReportSummary = ReportSummary(),  # noqa: B008 - the Struct is frozen
) -> None:
    """Stores a report unless it is stored already; replaces the oldest one if the launch has many.

    The caller holds the head's lock, so that two pages with the same report come one after the other.
    """
    rows = await tx.rows(
        """
        SELECT hash, COALESCE(octet_length(body), 0) AS size FROM unapplied_reports
        WHERE tenant_id = :tenant AND launch_id = :launch_id ORDER BY received_at DESC, sequence DESC
        """,
        launch_id=launch.id,
    )
    if any(row["hash"] == report.hash for row in rows):
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
        size + len(report.raw) <= MAX_BYTES
        and await _count_bytes(tx, launch.attempt_id) + len(report.raw) <= MAX_BYTES_OF_ATTEMPT
    )
    await tx.execute(
        """
        INSERT INTO unapplied_reports (tenant_id, launch_id, hash, kind, outcome, sequence, status, score,
                                       answers, body, size, done_at, received_at)
        VALUES (:tenant, :launch_id, :hash, :kind, :outcome, :sequence, :status, :score, :answers, :body,
                :size, :done_at, :now)
        """,
        launch_id=launch.id,
        hash=report.hash,
        kind=kind,
        outcome=outcome,
        sequence=report.sequence,
        status=summary.status,
        score=summary.score,
        answers=summary.answers,
        body=report.raw if has_room else None,
        size=len(report.raw),
        done_at=rules.compute_done_at(report, tx.now),
    )


async def _count_bytes(tx: Tx, attempt_id: UUID) -> int:
    """Returns the size of all bodies that are stored for an attempt."""
    count: int = await tx.value(
        """
        SELECT COALESCE(sum(octet_length(u.body)), 0)
        FROM launches l JOIN unapplied_reports u ON u.tenant_id = :tenant AND u.launch_id = l.id
        WHERE l.tenant_id = :tenant AND l.attempt_id = :attempt_id
        """,
        attempt_id=attempt_id,
    )
    return count


async def list_unapplied(tx: Tx, launch_id: UUID) -> Sequence[UnappliedReport]:
    """Lists the reports of a launch that could not be applied, the newest first."""
    return await tx.list(
        UnappliedReport,
        f"""
        SELECT {_COLUMNS} FROM unapplied_reports
        WHERE tenant_id = :tenant AND launch_id = :launch_id ORDER BY received_at DESC, sequence DESC
        """,  # noqa: S608
        launch_id=launch_id,
    )
