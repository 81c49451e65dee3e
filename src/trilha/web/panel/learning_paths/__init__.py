"""/admin/paths: learning paths, their courses, and the people on them."""
