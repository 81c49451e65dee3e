"""The documentation, and what writes the pages that come from the code."""
