"""/learn: the viewer's own courses."""
