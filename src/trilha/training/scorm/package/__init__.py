"""Reads a package: its manifest, its files, and whether they are safe to accept (SCORM 1.2 and 2004).

All of this runs in a process of its own, with limits and without secrets: `python -m
trilha.training.scorm.package`.
"""
