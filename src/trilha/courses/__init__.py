"""What is taught.

Owns `courses`, `modules`, `categories`, `course_teachers`; emits `course.created`, `course.updated`.
"""

from trilha.courses import errors as errors
