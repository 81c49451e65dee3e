"""Exports of enrollments: CSV streamed from the database, or any format made in the background.

Tables: exports. Files: `exports/<tenant>/<export>/…` in the file store.
"""

from trilha.training.reports.exports import errors as errors
