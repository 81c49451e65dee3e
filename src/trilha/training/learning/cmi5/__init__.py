"""cmi5: the launch of assignable units (AUs), the rules for their statements, and what satisfies moveOn.

Owns `cmi5_sessions` and `cmi5_progress`. Statements and documents are in the record store (`training.xapi`).
"""
