"""Previews: an author opens a module as a learner does, and nothing is stored of what happens in it."""
