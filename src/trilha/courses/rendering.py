"""`python -m trilha.courses.rendering`: makes HTML of the texts that come by standard input."""

from collections.abc import Callable

from trilha.core.sandbox.serving import serve
from trilha.courses import articles

# The first byte of an answer.
RENDERED, TOO_COMPLEX = b"1", b"0"


def make_answer() -> Callable[[bytes], bytes]:
    def answer(message: bytes) -> bytes:
        try:
            return RENDERED + articles.to_html(message.decode()).encode()
        except (articles.TooComplex, RecursionError):
            return TOO_COMPLEX

    return answer


if __name__ == "__main__":
    serve(make_answer)
