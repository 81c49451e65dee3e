"""Everything stored about a person: exported for that person, and erased (LGPD, Lei 13.709/2018, art. 18).

Owns no table. A feature that stores something about people declares its part of the export and its erasure
in its `feature.py`; the application makes a `PersonalData` of all of them.
"""
