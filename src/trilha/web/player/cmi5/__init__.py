"""The page around the content of a cmi5 module."""
