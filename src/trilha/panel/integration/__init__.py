"""What the pages of keys, clients, webhooks and events have in common."""
