"""Sends messages to the mail server, or to the folder that replaces it."""
