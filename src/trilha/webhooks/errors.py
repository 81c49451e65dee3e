"""The error codes of webhooks and their deliveries.

Imported by `actions`, not by the package: `from trilha import verify_signature` must load no dependency.
"""

from trilha.core.errors import codes, register

register(
    "webhooks",
    codes(
        "not_found",
        404,
        webhook_not_found="There is no such webhook endpoint.",
        replay_not_found="There is no such replay, or it was long ago.",
        delivery_not_found="There is no such delivery.",
    ),
    codes(
        "conflict",
        409,
        delivery_in_progress="The delivery is being sent at this moment; try again shortly.",
        too_many_webhooks="The tenant has as many webhook endpoints as it may; delete one first.",
        event_not_kept="The event is past its retention and cannot be sent again.",
    ),
)
