"""People, as a provider keeps them. Owns `scim_users`."""
