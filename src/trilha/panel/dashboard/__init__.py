"""/admin: what needs a person's attention, and how the tenant's training stands."""
