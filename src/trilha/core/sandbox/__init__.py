"""Processes with limits of time, memory and files, for work on foreign data. They receive messages one by
one, so a harmful message affects only its own process.

A message is its length (4 bytes) followed by MessagePack, in both directions.
"""
