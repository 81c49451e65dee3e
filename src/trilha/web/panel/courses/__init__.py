"""/admin/courses: lists, shows, creates, edits and publishes courses, and chooses their instructors."""
