"""Signatures that people draw on a screen, or make with a passkey, below what other features show them.

Tables: signatures. A signature has the digest of what was signed. Drawings are sealed, because they are
personal.
"""
