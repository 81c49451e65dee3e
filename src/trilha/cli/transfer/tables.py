"""Which rows move, and in which order."""

from collections.abc import Sequence

from trilha.platform.tenants.tables import TenantTable

# What is of no use elsewhere: sign-ins, secrets of which only a keyed hash is stored, and work in progress.
LEFT_OUT = {
    *("sessions", "password_resets", "email_changes", "recovery_codes", "previews", "idempotency_keys"),
    # A passkey belongs to the address of its server, and a person adds another one at the new address.
    *("passkeys", "passkey_challenges"),
    # Nothing of a face leaves the server. People take a first photo anew.
    *("identity_photos", "identity_references"),
    *("api_key_secrets", "oauth_client_secrets", "oauth_tokens", "oauth_assertions"),
    *(
        "sso_flows",
        "sso_tickets",
        "launch_links",
        "sso_replays",
        "webhook_replays",
        "imports",
        "import_problems",
        "question_imports",
        "module_imports",
    ),
    *("file_sealings", "tenant_homes", "calendar_feeds", "xapi_keys"),
}
# What is being sent is left out.
FILTERS = {
    "webhook_deliveries": "status <> 'PENDING'",
    "mail_messages": "status <> 'PENDING'",
    "reminder_deliveries": "status <> 'PENDING'",
}
# Rows that follow from each other.
ORDERS = {
    "learning_log": "enrollment_id, number",
    "certificates": "created_at, id",
}
# Triggers of other tables add rows to these. They are loaded last, in place of what the triggers have added.
_LAST = (
    *("people_counters", "user_words", "unit_countings", "requirement_checks", "requirement_sweeps"),
    *("reminder_schedules", "learning_path_changes", "learning_path_rollouts", "review_checks"),
)
# Columns that the target numbers itself.
_OWN_NUMBERS = {("webhook_endpoints", "number")}


def list_in_order(tables: Sequence[TenantTable]) -> list[TenantTable]:
    """Returns the tables that move, each after those that it refers to."""
    order = [table for table in reversed(tables) if table.name not in LEFT_OUT]
    return sorted(order, key=lambda table: table.name in _LAST)


def is_last(name: str) -> bool:
    return name in _LAST


def list_columns(table: TenantTable) -> list[str]:
    return [column for column in table.columns if (table.name, column) not in _OWN_NUMBERS]


def is_in_one_batch(table: TenantTable) -> bool:
    """Returns whether rows refer to each other in no order. Such tables are small."""
    return table.refers_to_itself and table.name not in ORDERS
