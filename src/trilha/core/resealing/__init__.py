"""Encrypts stored data again with the newest master key, so that an older one can be thrown away."""
