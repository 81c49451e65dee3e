"""Quizzes: their questions, and how answers are graded. Attempts are in `learning`.

Owns `quizzes`, `questions`, `question_translations`; emits no events of its own: the course emits its
changes.
"""

from trilha.training.quizzes import errors as errors
