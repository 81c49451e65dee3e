"""Attempts at modules, and their results."""
