"""The learners' guide. Owns no tables and emits no events."""
