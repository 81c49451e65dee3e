"""The list of e-mails."""

from trilha.core.lists import Condition, List
from trilha.mail.schema import SentMessage

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
        "since": Condition(where="row.created_at >= :since", bounds="created_at"),
        "q": Condition(where="strpos(row.to_email, lower(trim(:q))) > 0"),
    },
)
