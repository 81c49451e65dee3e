"""Writes the client libraries from the description of `/v1`: `python -m docs.clients`."""
