"""`python -m trilha.training.question_bank.parsing`: reads the files on standard input."""

from collections.abc import Callable

import msgspec

from trilha.core.sandbox.serving import serve
from trilha.training.question_bank.parsing import detection
from trilha.training.question_bank.parsing.reading import ReadRequest


def make_answer() -> Callable[[bytes], bytes]:
    def answer(message: bytes) -> bytes:
        request = msgspec.msgpack.decode(message, type=ReadRequest)
        return msgspec.msgpack.encode(detection.read(request.file_name, request.content))

    return answer


if __name__ == "__main__":
    serve(make_answer)
