"""Quizzes in the player: questions, submission and result."""
