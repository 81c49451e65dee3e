"""/learn/enrollments/{id}/identity: consent and photos that confirm who takes a course."""
