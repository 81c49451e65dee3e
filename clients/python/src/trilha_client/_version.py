"""The version of the API."""

__version__ = "1.0.0"
