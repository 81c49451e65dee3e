"""/admin/courses/{id}/modules: videos, documents and articles are added, changed and removed."""
