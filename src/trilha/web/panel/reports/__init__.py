"""/admin/reports: completion, gaps in regulated courses, and files with enrollments."""
