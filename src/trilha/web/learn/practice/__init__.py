"""/learn/enrollments/{id}/practice/{module}: the checklist of a practical part, the results, and signing."""
