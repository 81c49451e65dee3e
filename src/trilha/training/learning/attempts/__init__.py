"""Attempts at modules: how they begin, what is stored of them, and their results."""
