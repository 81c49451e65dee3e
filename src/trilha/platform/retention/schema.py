"""The retention settings of a tenant."""

from typing import Annotated

from msgspec import Meta, Struct

from trilha.platform.retention.rules import ACCESS_DAYS, EVIDENCE_DAYS, MAX_DAYS, OPERATION_DAYS

_Evidence = Annotated[int, Meta(ge=EVIDENCE_DAYS, le=MAX_DAYS)] | None
_Access = Annotated[int, Meta(ge=ACCESS_DAYS, le=MAX_DAYS)] | None
_Operation = Annotated[int, Meta(ge=OPERATION_DAYS, le=MAX_DAYS)] | None


class RetentionSettings(Struct, frozen=True):
    """How many days the logs are kept. None is the installation's period, or without end.

    `audit_log_days` is for the audit log without sign-ins, which have `sign_in_days`. `learning_log_days`
    begins when the certificate is no longer valid.
    """

    audit_log_days: _Evidence = None
    learning_log_days: _Evidence = None
    sign_in_days: _Access = None
    request_log_days: _Access = None
    event_days: _Operation = None
    delivery_days: _Operation = None
