"""Filters of lists that people have given a name. Owns `saved_views`."""
