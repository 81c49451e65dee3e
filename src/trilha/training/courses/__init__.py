"""Courses, their modules, categories, instructors and media files.

Owns `courses`, `all_modules` with its view `modules`, `changed_courses`, `categories`, `course_teachers`,
`media_files`, and in `lessons` and `translations` the tables of texts; emits `course.created`,
`course.updated`, `course.archived`.
"""

from trilha.training.courses import errors as errors
