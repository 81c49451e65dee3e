"""/learn/paths/{id}: one of the viewer's learning paths."""
