"""Labels for event types, shared by the pages of events and webhooks."""
