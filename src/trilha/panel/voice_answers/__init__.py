"""/admin/voice-answers: what learners said in quizzes, to be heard and graded."""
