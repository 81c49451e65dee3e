"""Answers to quizzes."""
