"""What the secrets of API keys, OAuth clients, SCIM tokens and webhooks have in common in the panel."""
