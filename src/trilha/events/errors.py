"""The error codes of events."""

from trilha.core.errors import field_codes, register

register("events", field_codes(unknown_event="There is no such event, or it is kept no longer."))
