"""/learn: one's own courses."""
