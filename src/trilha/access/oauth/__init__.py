"""OAuth 2.0 for machines: clients and their access tokens."""
