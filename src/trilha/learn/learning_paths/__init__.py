"""/learn/paths/{id}: one of one's own learning paths."""
