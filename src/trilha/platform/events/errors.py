"""Error codes of events."""

from trilha.core.errors import field_codes, register

register("events", field_codes(unknown_event="The event does not exist or is no longer stored."))
