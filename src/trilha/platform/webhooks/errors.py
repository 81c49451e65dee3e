"""Error codes of webhooks and deliveries.

Imported by `actions` and not by the package, because `from trilha import verify_signature` must not load
dependencies.
"""

from trilha.core.errors import codes, register

register(
    "webhooks",
    codes(
        "not_found",
        404,
        webhook_not_found="The webhook endpoint does not exist.",
        replay_not_found="The replay does not exist or is no longer stored.",
        delivery_not_found="The delivery does not exist.",
    ),
    codes(
        "conflict",
        409,
        delivery_in_progress="The delivery is being sent right now. Try again shortly.",
        too_many_webhooks="The tenant has the maximum number of webhook endpoints. Delete one first.",
        event_not_kept="The event is no longer stored and cannot be sent again.",
    ),
)
