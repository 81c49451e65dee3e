"""Who takes which course, and how far they are.

Owns `enrollments`; emits `enrollment.created`, `.started`, `.progress`, `.completed`, `.expired`.
"""

from trilha.enrollments import errors as errors
