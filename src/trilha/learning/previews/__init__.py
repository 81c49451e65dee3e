"""Previews: an author opens a module as a learner does, and nothing is kept."""
