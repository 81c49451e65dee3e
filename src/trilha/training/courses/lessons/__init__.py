"""Lessons: the texts of article modules as documents, with drafts and versions.

Owns `lesson_versions`, `lesson_drafts` and `rendered_lessons`. Every query and action takes the `language` of
the text; an empty one is the course's own language.
"""
