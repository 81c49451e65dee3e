"""Learning under load: commits, their history, the import of a large package, and the files of one.

`python -m bench learning`.
"""
