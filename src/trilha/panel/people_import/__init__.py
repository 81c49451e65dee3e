"""Bringing in people from a file: what it looks like, what is wrong with it, and how far it is."""
