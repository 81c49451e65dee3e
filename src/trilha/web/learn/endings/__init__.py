"""/learn/enrollments/{id}/modules/{module_id}/done: how a module ended, and what comes next."""
