"""Enrollments: which person takes which course, and their progress.

Owns `enrollments`; emits `enrollment.created`, `.started`, `.progress`, `.completed`, `.expired`.
"""

from trilha.training.enrollments import errors as errors
