"""Statements of the Experience API about what the platform itself knows: modules, courses, classes and
certificates.

A company turns them on. The worker derives them from events and from the logs of enrollments, which are
written with the work itself. Each has an id that follows from what happened, so that none is stored twice.

Owns `statement_settings` and `statement_outbox`, into which `learning` puts the entries of its logs. Emits no
event.
"""
