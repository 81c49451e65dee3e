"""/admin/events: the tenant's events, as webhooks and the API deliver them."""
