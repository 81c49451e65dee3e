"""What is taught.

Owns `courses`, `modules`, `categories`, `course_teachers`, `media_files`; emits `course.created`,
`course.updated`, `course.archived`.
"""

from trilha.courses import errors as errors
