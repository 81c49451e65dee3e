"""The guides, in the panel. Owns no tables and emits no events."""
