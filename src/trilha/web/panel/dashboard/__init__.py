"""/admin: the overview, with what needs attention and the tenant's main figures."""
