"""/admin/webhooks: where events are sent, and what came of it."""
