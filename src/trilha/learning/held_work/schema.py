"""What became of a report that a browser had held."""

from msgspec import Struct

from trilha.core.types import Timestamp
from trilha.learning.reports.schema import UnappliedOutcome


class HeldReportResult(Struct, frozen=True):
    """`done_at` is by the browser's clock. `uncounted` is as in a `ReportResult`."""

    outcome: UnappliedOutcome
    done_at: Timestamp | None
    uncounted: float = 0.0
