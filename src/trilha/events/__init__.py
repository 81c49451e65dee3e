"""What happened, as rows in the commit in which it happened.

Owns `events`. Every public event is a Struct in `catalogue`; `outbox.emit` writes them.
"""
