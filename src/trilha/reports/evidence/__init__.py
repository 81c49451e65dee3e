"""The evidence of one enrollment as a file that a stranger can check: what was done, in a chain of hashes.

Owns no table; reads the log of learning and what it is about.
"""
