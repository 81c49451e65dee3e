"""Measures Trilha under load, and prints one page of figures with their bounds: `python -m bench`."""
