"""The schema, forward only. File names order it; `core.migrate` runs it."""
