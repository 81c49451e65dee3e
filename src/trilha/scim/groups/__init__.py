"""Learning groups, as a provider keeps them. Owns `scim_groups`."""
