"""/admin/answers: recorded and written answers in quizzes, to grade."""
