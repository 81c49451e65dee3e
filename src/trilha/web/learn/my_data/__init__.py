"""/learn/my-data: the personal data stored about the viewer, and its download."""
