"""The SQL that all reports share."""

from trilha.core.database import Tx
from trilha.learning.attempts.schema import Attempt
from trilha.learning.launches.schema import Launch
from trilha.learning.reports.schema import Report


async def count_late_commit(tx: Tx, attempt: Attempt, launch: Launch) -> None:
    """A commit of a launch that was superseded has changed what newer ones began with."""
    await tx.execute(
        """
        UPDATE attempts SET late_commits = late_commits + 1, late_launch = :number
        WHERE tenant_id = :tenant AND id = :attempt_id
        """,
        attempt_id=attempt.id,
        number=launch.number,
    )


async def set_last_report(tx: Tx, launch: Launch, sent: Report, *, held: bool) -> None:
    """Notes a report as the launch's last one. One that was held does not bring the launch back to life."""
    await tx.execute(
        """
        UPDATE launches SET last_sequence = :sequence, last_hash = :hash,
            seen_at = CASE WHEN :held THEN seen_at ELSE CAST(:now AS timestamptz) END,
            left_out = GREATEST(left_out, :left_out),
            ended_at = CASE WHEN :final THEN CAST(:now AS timestamptz) ELSE ended_at END
        WHERE tenant_id = :tenant AND id = :launch_id
        """,
        launch_id=launch.id,
        sequence=sent.sequence,
        hash=sent.hash,
        final=sent.final,
        left_out=sent.left_out,
        held=held,
    )
