"""Quizzes as learners take them: their answers, and the grades that the server gives to them."""
