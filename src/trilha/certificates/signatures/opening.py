"""`python -m trilha.certificates.signatures.opening`: reads PKCS #12 files that come by standard input."""

from collections.abc import Callable

import msgspec

from trilha.certificates.signatures import identities
from trilha.certificates.signatures.schema import Read, ToRead
from trilha.core.errors import Invalid
from trilha.core.sandbox.serving import serve
from trilha.core.types import enc_hook


def read(asked: ToRead) -> Read:
    try:
        return Read(identities.read(asked.content, asked.password, asked.now))
    except Invalid as refusal:
        return Read(refused=(refusal.field or "identity", refusal.code))


def make_answer() -> Callable[[bytes], bytes]:
    def answer(message: bytes) -> bytes:
        asked = msgspec.msgpack.decode(message, type=ToRead)
        return msgspec.msgpack.encode(read(asked), enc_hook=enc_hook)

    return answer


if __name__ == "__main__":
    serve(make_answer)
