"""Learning groups as SCIM groups. Owns `scim_groups`."""
