"""Why a sign-in by an identity provider is refused."""

REASONS: dict[str, str] = {}


class SignInRefused(Exception):
    """`code` is the reason; `expected` and `received` are for the administrator alone."""

    def __init__(self, code: str, expected: str | None = None, received: str | None = None) -> None:
        if code not in REASONS:
            raise TypeError(f"{code} is not registered")
        super().__init__(code)
        self.code = code
        self.expected = expected
        self.received = received


def register_reasons(**sentences: str) -> None:
    REASONS.update(sentences)
