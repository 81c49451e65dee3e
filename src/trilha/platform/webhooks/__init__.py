"""Webhooks: endpoints, signing secrets, and the delivery history.

Owns `webhook_endpoints`, `webhook_secrets`, `webhook_queues`, `webhook_deliveries` and `webhook_replays`.
Emits `webhook.test`, `webhook.activated` and `webhook.failed`.
"""
