"""Launches: a learner opens a module in one tab."""
