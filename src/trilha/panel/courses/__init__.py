"""/admin/courses: what is taught, how it goes and who teaches it."""
