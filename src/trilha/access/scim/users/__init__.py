"""People as SCIM users. Owns `scim_users`."""
