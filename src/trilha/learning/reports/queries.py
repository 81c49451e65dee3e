"""The SQL that reports of all kinds share."""

from trilha.core.database import Tx
from trilha.learning.attempts.schema import Attempt
from trilha.learning.launches.schema import Launch
from trilha.learning.reports.schema import Report


async def count_late_commit(tx: Tx, attempt: Attempt, launch: Launch) -> None:
    """Notes that a superseded launch has changed what newer launches have loaded."""
    await tx.execute(
        """
        UPDATE attempts SET late_commits = late_commits + 1, late_launch = :number
        WHERE tenant_id = :tenant AND id = :attempt_id
        """,
        attempt_id=attempt.id,
        number=launch.number,
    )


async def set_last_report(tx: Tx, launch: Launch, report: Report, *, held: bool) -> None:
    """Notes the launch's last report. A report that was held does not keep the launch alive."""
    await tx.execute(
        """
        UPDATE launches SET last_sequence = :sequence, last_hash = :hash,
            seen_at = CASE WHEN :held THEN seen_at ELSE CAST(:now AS timestamptz) END,
            left_out = GREATEST(left_out, :left_out),
            ended_at = CASE WHEN :final THEN CAST(:now AS timestamptz) ELSE ended_at END
        WHERE tenant_id = :tenant AND id = :launch_id
        """,
        launch_id=launch.id,
        sequence=report.sequence,
        hash=report.hash,
        final=report.final,
        left_out=report.left_out,
        held=held,
    )
