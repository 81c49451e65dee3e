"""/admin/classes and /admin/calendar: classes, their sessions and people, and the calendar of sessions."""
