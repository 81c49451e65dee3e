"""Reads PKCS #12 files from standard input.

Runs as `python -m trilha.training.certificates.signatures.opening`.
"""

from collections.abc import Callable

import msgspec

from trilha.core.errors import Invalid
from trilha.core.sandbox.serving import serve
from trilha.core.types import enc_hook
from trilha.training.certificates.signatures import identities
from trilha.training.certificates.signatures.schema import IdentityReadResult, ToRead


def read(request: ToRead) -> IdentityReadResult:
    try:
        return IdentityReadResult(identities.read(request.content, request.password, request.now))
    except Invalid as refusal:
        return IdentityReadResult(refused=(refusal.field or "identity", refusal.code))


def make_answer() -> Callable[[bytes], bytes]:
    def answer(message: bytes) -> bytes:
        asked = msgspec.msgpack.decode(message, type=ToRead)
        return msgspec.msgpack.encode(read(asked), enc_hook=enc_hook)

    return answer


if __name__ == "__main__":
    serve(make_answer)
