"""Converts CSV to other formats in a process of its own: see __main__."""
