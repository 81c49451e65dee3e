"""Decides when to retry an e-mail and when to give up, and explains errors. No I/O, no clock."""

import re
import unicodedata
from datetime import datetime, timedelta

# seconds before the second and each further attempt; the last value repeats
DELAYS = (30, 120, 600, 1_800, 3_600, 7_200, 14_400)
# no attempt begins later than this after the message was created
LONGEST_WAIT = timedelta(days=1)
_JITTER = 0.1
_REPLY_LENGTH = 300

# completes a sentence that begins with the mail server
ERRORS = {
    "recipient_refused": "refused the recipient",
    "message_refused": "refused the message",
    "sender_refused": "refused the sender",
    "sign_in_refused": "refused the user name or the password",
    "server_refused": "refused the conversation",
    "utf8_not_supported": "does not take addresses beyond ASCII",
    "tls_not_offered": "offers no STARTTLS",
    "tls_failed": "could not be verified: its certificate is not valid, or its TLS is broken",
    "timeout": "did not answer in time",
    "connection_failed": "could not be reached, or closed the connection",
    "folder_not_writable": "cannot be written",
    "failed": "could not be given the message",
}


def next_attempt(created_at: datetime, now: datetime, attempts: int, chance: float) -> datetime | None:
    """Returns the time of the next attempt, or None if there is none. `chance` is random in [0, 1)."""
    delay = DELAYS[min(attempts, len(DELAYS)) - 1]
    at = now + timedelta(seconds=delay * (1 + chance * _JITTER))
    return at if at <= created_at + LONGEST_WAIT else None


def printable(reply: str) -> str:
    """Shortens a mail server's reply to one line."""
    return "".join(each if each.isprintable() else " " for each in reply)[:_REPLY_LENGTH]


# Text that mail programs turn into links: addresses of pages and people, and telephone numbers.
_LINK = re.compile(r"[@:]|\w\.\w{2}|\bwww\b|(?:\d\W*){6}", re.IGNORECASE)


def greeting_name(name: str) -> str:
    """Returns the name, or an empty string if a mail program might turn part of it into a link.

    Whoever creates a user chooses the name, and could use it to advertise to strangers.
    """
    # Compatibility forms such as full-width letters can form links too (UTS 46).
    plain = unicodedata.normalize("NFKC", name).replace("\u3002", ".")
    visible = "".join(each for each in plain if unicodedata.category(each) != "Cf")
    return "" if _LINK.search(visible) else name
