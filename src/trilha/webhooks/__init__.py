"""Webhooks: who wants to hear of events, what was sent to them, and how it is signed."""
