"""What a package holds: its manifest, its files, and whether they may be let in (SCORM 1.2 and 2004).

Everything here is run in a process of its own, which has limits and no secrets: `python -m
trilha.scorm.package`.
"""
