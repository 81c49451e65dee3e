"""/learn: a learner's own pages."""
