"""Typesets the sheets that it reads from standard input, in its working folder.

Runs as `python -m trilha.training.certificates.pdf`.

It has no environment and no access outside that folder, because texts and names may be hostile.
"""

from collections.abc import Callable
from pathlib import Path

import msgspec

from trilha.core.sandbox.serving import serve
from trilha.training.certificates.pdf.sheets import Answer, DocumentSheet, Sheet
from trilha.training.certificates.pdf.typesetting import NotSet, Typesetter


def make_answer() -> Callable[[bytes], bytes]:
    typesetter = Typesetter(Path.cwd())

    def answer(message: bytes) -> bytes:
        try:
            made = Answer(typesetter.set(msgspec.msgpack.decode(message, type=Sheet | DocumentSheet)))
        except NotSet as error:
            made = Answer(error=str(error))
        return msgspec.msgpack.encode(made)

    return answer


if __name__ == "__main__":
    serve(make_answer)
