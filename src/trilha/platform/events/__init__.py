"""Events: rows that are committed together with the change that they describe.

Owns `events`. Every public event is a Struct in `catalogue`; `outbox.emit` writes them.
"""
