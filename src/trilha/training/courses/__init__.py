"""Courses, their modules, categories, instructors and media files.

Owns `courses`, `all_modules` with its view `modules`, `changed_courses`, `categories`, `course_teachers`,
`media_files`, in `lessons` and `translations` the tables of texts and in `imports` that of imports; emits
`course.created`, `course.updated`, `course.archived`.
"""

from trilha.training.courses import errors as errors
