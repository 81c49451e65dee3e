"""Videos that are watched, documents and articles that are read."""
