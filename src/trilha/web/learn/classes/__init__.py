"""/learn/courses/{id}/classes and /learn/calendar: people choose a class, and see when they meet."""
