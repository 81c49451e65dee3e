"""Enrollments as files: CSV while it is read from the database, or any form in the background.

Tables: exports. Files: `exports/<tenant>/<export>/…` in the file store.
"""

from trilha.reports.exports import errors as errors
