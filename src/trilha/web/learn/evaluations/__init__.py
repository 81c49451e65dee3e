"""/learn/enrollments/{id}/evaluation: a learner evaluates a course, and says later how they use it."""
