"""Translations: the texts of a course and its modules in further languages.

Owns `course_translations` and `module_translations`. The course's own texts stay in `courses` and
`all_modules`; a text that is not translated is shown in the course's own language. Lessons have their
languages themselves (`lessons`).
"""
