"""/accessibility: the statement of how usable the pages are for everybody, and where to report a barrier.

Owns no tables and emits no events.
"""
