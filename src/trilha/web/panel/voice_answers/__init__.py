"""/admin/voice-answers: recorded answers in quizzes, to listen to and grade."""
