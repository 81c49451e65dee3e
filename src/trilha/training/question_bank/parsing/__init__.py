"""Reads questions from files of other systems: GIFT, Moodle XML, and tables.

A reader takes text or bytes and yields a `ParsedQuestion` for each question, with what it could not keep. The
readers run in a sandbox: see `reading`.
"""
