"""Quizzes in the player: answered, handed in, and what came of them."""
