"""The outbox as a list."""

from trilha.core.lists import Condition, List, since_day
from trilha.platform.mail.schema import SentMessage

MESSAGES = List(
    name="mail",
    table="mail_messages",
    kind=SentMessage,
    filters={
        "status": {
            "PENDING": (Condition(where="row.status = 'PENDING'"),),
            "SENT": (Condition(where="row.status = 'SENT'"),),
            "FAILED": (Condition(where="row.status = 'FAILED'", leads=("created_at",)),),
        },
        "since": since_day("created_at"),
        "q": Condition(where="strpos(row.to_email, lower(trim(:q))) > 0"),
    },
)
