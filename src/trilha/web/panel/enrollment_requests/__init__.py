"""/admin/enrollments/requests: requests of people to be enrolled."""
