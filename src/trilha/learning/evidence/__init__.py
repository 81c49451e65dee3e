"""The log of an enrollment, and the check that nobody has changed it."""
