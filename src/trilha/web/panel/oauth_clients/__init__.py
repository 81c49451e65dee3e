"""/admin/oauth-clients: applications that get access tokens of their own."""
