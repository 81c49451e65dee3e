"""/admin/courses/{id}/evaluations: what learners think of a course, in anonymous results."""
