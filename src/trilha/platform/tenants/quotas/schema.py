"""Quotas of a tenant."""

from typing import Annotated

from msgspec import Meta, Struct

_Quota = Annotated[int, Meta(ge=0, le=10**15)] | None


class Quotas(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a tenant may use; null is no limit. Months begin at midnight UTC.

    `max_people` counts active people.
    """

    max_people: _Quota = None
    max_storage_bytes: _Quota = None
    max_api_calls_per_month: _Quota = None
    max_mails_per_month: _Quota = None
