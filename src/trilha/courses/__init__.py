"""What is taught.

Owns `courses`, `all_modules` with its view `modules`, `changed_courses`, `categories`, `course_teachers`,
`media_files`; emits `course.created`,
`course.updated`, `course.archived`.
"""

from trilha.courses import errors as errors
