"""Modules that work without a connection: what a browser saves of them, and the worker that shows it."""
