"""Invitations to the sessions of a class by iCalendar mail, kept up to date in people's calendars.

Whoever changes a class adds a notice in the same transaction. The worker takes the notices of a class in
their order and writes the messages to the outbox.
"""
