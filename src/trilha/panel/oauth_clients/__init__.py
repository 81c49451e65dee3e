"""/admin/oauth-clients: applications that get access tokens for themselves."""
