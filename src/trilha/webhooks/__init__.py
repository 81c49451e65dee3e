"""Webhooks: endpoints that events are sent to, their signing secrets, and the history of deliveries.

Owns `webhook_endpoints`, `webhook_secrets`, `webhook_queues`, `webhook_deliveries` and `webhook_replays`.
Emits `webhook.test`, `webhook.activated` and `webhook.failed`.
"""
