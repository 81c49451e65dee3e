"""Commits: what SCORM content stores of the learner's work."""
