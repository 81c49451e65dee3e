"""A commit of the SCORM runtime."""

from trilha.training.learning.player_reports.schema import Report


class Commit(Report, frozen=True, kw_only=True):
    """What the runtime sends. Nothing of `cmi` is checked yet.

    `sequencing` is the runtime's own state of the package's activities, if the package has sequencing rules.
    """

    cmi: object
    sequencing: str = ""
