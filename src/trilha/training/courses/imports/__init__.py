"""Modules that are files, through the API: packages, documents and videos, sent or fetched from an address.

Owns `module_imports`. What happens to a file is what happens to one that an author uploads in the panel.
"""
