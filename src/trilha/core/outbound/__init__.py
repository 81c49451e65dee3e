"""Outgoing requests: the address guard, and the HTTP client behind it."""
