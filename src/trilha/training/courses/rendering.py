"""`python -m trilha.training.courses.rendering`: renders the texts on standard input as HTML."""

from collections.abc import Callable

from trilha.core.sandbox.serving import serve
from trilha.training.courses import articles

# The first byte of an answer.
STATUS_RENDERED, STATUS_TOO_COMPLEX = b"1", b"0"


def make_answer() -> Callable[[bytes], bytes]:
    def answer(message: bytes) -> bytes:
        try:
            return STATUS_RENDERED + articles.to_html(message.decode()).encode()
        except (articles.TooComplex, RecursionError):
            return STATUS_TOO_COMPLEX

    return answer


if __name__ == "__main__":
    serve(make_answer)
