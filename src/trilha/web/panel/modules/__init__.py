"""/admin/courses/{id}/modules: adds, edits, previews and removes modules."""
