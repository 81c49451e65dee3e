"""/learn/profile: the viewer's personal data, documents and language."""
