"""The evidence of one enrollment as a file that anybody can verify: a chain of hashed entries.

Owns no table; reads the log of learning and the rows that it refers to.
"""
