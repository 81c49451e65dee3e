"""Processes of our own that do one kind of work, message by message: what a message does to its reader ends
with that process.

A message is its length (4 bytes) and that much MessagePack, one way and back.
"""
