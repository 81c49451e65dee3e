"""Secret addresses under which calendar programs read a person's due dates. Owns `calendar_feeds`; emits no
event.
"""
