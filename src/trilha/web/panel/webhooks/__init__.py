"""/admin/webhooks: the endpoints that receive events, and their deliveries."""
