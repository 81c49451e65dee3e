"""A report of study time without a connection."""

from trilha.training.learning.player_reports.schema import Report


class OfflineTimeReport(Report, frozen=True, kw_only=True):
    """`seconds` is the launch's whole visible time without a connection, as the browser measured it."""

    seconds: float
