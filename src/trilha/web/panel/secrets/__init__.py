"""What the pages of API keys, OAuth clients, SCIM tokens and webhooks share about secrets."""
