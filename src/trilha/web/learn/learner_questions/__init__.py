"""/learn/enrollments/{id}/questions: a learner's questions to the instructors of a course."""
