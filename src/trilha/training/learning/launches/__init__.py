"""Launches: one learner opens one module in one tab."""
