"""/admin/enrollments/{id}/launches: when modules were opened, from where, and what content said meanwhile."""
