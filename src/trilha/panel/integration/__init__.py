"""What pages of events, webhooks and e-mails have in common: words for event types and for spans of days."""
