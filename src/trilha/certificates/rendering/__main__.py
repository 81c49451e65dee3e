"""`python -m trilha.certificates.rendering`: sets the sheets that come by standard input, in its own folder.

It has no environment and no way out of that folder: the texts and names that it sets may have been made to
harm.
"""

from collections.abc import Callable
from pathlib import Path

import msgspec

from trilha.certificates.rendering.sheets import Answer, Sheet
from trilha.certificates.rendering.typesetting import NotSet, Typesetter
from trilha.core.sandbox.serving import serve


def make_answer() -> Callable[[bytes], bytes]:
    typesetter = Typesetter(Path.cwd())

    def answer(message: bytes) -> bytes:
        try:
            made = Answer(typesetter.set(msgspec.msgpack.decode(message, type=Sheet)))
        except NotSet as error:
            made = Answer(error=str(error))
        return msgspec.msgpack.encode(made)

    return answer


if __name__ == "__main__":
    serve(make_answer)
