"""/admin/courses/{course_id}/modules/{module_id}/quiz: what a quiz asks, and how it is graded."""
