"""The guides for people who use the pages: Markdown of `docs/guides`, shown by the panel and learners' pages.

Owns no tables and emits no events.
"""
