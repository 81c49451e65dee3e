"""What is particular to a connection's kind, and the addresses that its provider is given."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from trilha.core.database import Tx
from trilha.sso.oidc import queries as oidc
from trilha.sso.schema import Connection

CALLBACK = "/api/sso/oidc/callback"


class Detail(Struct, frozen=True):
    """`given` are the addresses to enter at the provider, by the names of `guides`; `told` what it told us."""

    given: dict[str, str]
    own: Any
    certificates: Sequence[Any] = ()


async def detail_of(tx: Tx, connection: Connection, address: str) -> Detail:
    return Detail({"callback": f"{address}{CALLBACK}"}, await oidc.get(tx, connection.id))
