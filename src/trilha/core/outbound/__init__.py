"""Requests that the server itself makes: the guard of addresses, and the HTTP client behind it."""
