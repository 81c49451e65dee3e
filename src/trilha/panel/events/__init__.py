"""/admin/events: what happened in the tenant, as integrations are told of it."""
