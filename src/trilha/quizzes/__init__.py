"""What is asked in a quiz, and how answers are graded. Who answers, and what comes of it, is in `learning`.

Owns `quizzes`, `questions`; emits nothing: a course that has the quiz tells of its changes.
"""

from trilha.quizzes import errors as errors
