"""/admin/enrollments/{id}/launches: when modules were opened, and the SCORM calls of each launch."""
