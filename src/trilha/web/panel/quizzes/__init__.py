"""/admin/courses/{course_id}/modules/{module_id}/quiz: the questions of a quiz and its grading."""
