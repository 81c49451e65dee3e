"""Processes with limits of time, memory and files, for work on what others have sent. They are asked message
by message: what a message does to its reader ends with that process.

A message is its length (4 bytes) and that much MessagePack, one way and back.
"""
