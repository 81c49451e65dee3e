"""/admin/courses/{id}/project: the pedagogic project of a course, for its authors."""
