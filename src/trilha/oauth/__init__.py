"""OAuth 2.0 for machines: clients, and the access tokens they get for themselves."""
