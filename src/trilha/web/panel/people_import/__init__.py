"""Importing people from a file: its format, its problems, and its progress."""
