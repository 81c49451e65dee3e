"""Failures as pages, in the house of all the others."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlsplit

from msgspec import Struct
from msgspec.structs import replace

from trilha.core.errors import ApiError, Conflict, ErrorEnvelope, Failure
from trilha.core.web.answers import Answer
from trilha.core.web.errors import ENVELOPE, FailureExample
from trilha.core.web.request import Request
from trilha.pages.flash import lead
from trilha.pages.forms import SENTENCES
from trilha.pages.preferences import page_of
from trilha.pages.rendering import render
from trilha.pages.translations import N_


class Words(Struct, frozen=True):
    """What happened, and what to do now: msgids."""

    title: str
    advice: str
    icon: str
    retry: bool = False


_WORDS = {
    400: Words(
        N_("This address does not work"),
        N_("Something in it is not right. Go back and choose again, or start from the beginning."),
        "link-2-off",
    ),
    403: Words(
        N_("You have no access to this page"),
        N_("Your profile does not include it. If you need it, ask whoever manages Trilha in your company."),
        "lock",
    ),
    404: Words(
        N_("We did not find this page"),
        N_("It may have been moved or removed, or the address may be incomplete."),
        "search-x",
    ),
    409: Words(
        N_("Someone changed this before you"),
        N_("Go back, reload the page to see how it is now, and try again."),
        "git-compare-arrows",
    ),
    413: Words(N_("The file is too large"), N_("Go back and send a smaller one."), "file-warning"),
    422: Words(N_("This was not saved"), N_("Go back and check what you filled in."), "circle-alert"),
    429: Words(
        N_("Too many attempts"),
        N_("For your safety we paused for a moment. Wait a little and try again."),
        "timer",
    ),
    500: Words(
        N_("Something failed on our side"),
        N_("It was recorded. Try again; if it happens again, tell support the code below."),
        "server-crash",
        retry=True,
    ),
    503: Words(
        N_("We will be right back"),
        N_("Trilha is busy or starting up. Try again in a few seconds."),
        "coffee",
        retry=True,
    ),
}


def words(status: int) -> Words:
    """Of the same kind, where the status has none of its own."""
    if status in _WORDS:
        return _WORDS[status]
    if status == 405:
        return _WORDS[404]
    return _WORDS[500 if status >= 500 else 400]


def _words_of(failure: Failure) -> Words:
    """What changed meanwhile, where it can be said."""
    known = words(failure.status)
    if isinstance(failure, Conflict) and failure.code in SENTENCES:
        return replace(known, advice=SENTENCES[failure.code])
    return known


class PageErrors(Struct, frozen=True):
    """Who is not signed in is led to `login`, and from there back.

    A code of `steps` leads to its address; back again, where that is below `login`.
    """

    login: str = "/login"
    steps: Mapping[str, str] = {}
    body: type[Struct] = ErrorEnvelope

    def write(self, failure: Failure, request: Request) -> Answer:
        by_htmx = request.header(b"hx-request") == "true"
        if failure.status == 401:
            return self._to_login(self.login, request, by_htmx)
        if isinstance(failure, ApiError) and failure.code in self.steps:
            return self._to_login(self.steps[failure.code], request, by_htmx)
        template = "pages/_error.html" if by_htmx else "pages/error.html"
        return render(
            template,
            page_of(request),
            status=failure.status,
            words=_words_of(failure),
            number=failure.status,
            request_id=request.id if failure.status >= 500 else "",
        )

    def _to_login(self, step: str, request: Request, by_htmx: bool) -> Answer:
        """Or to a step of it; from there back to the page that was asked for."""
        if by_htmx:
            where = urlsplit(request.header(b"hx-current-url") or "")
        else:
            where = urlsplit("")._replace(path=quote(request.full_path), query=request.query)
        # What was sent by a form is lost; the way back is for pages.
        back = where.path + (f"?{where.query}" if where.query else "")
        known = (by_htmx or request.method in ("GET", "HEAD")) and step.startswith(self.login)
        return lead(request, f"{step}?next={quote(back, safe='/')}" if known and back else step)

    def example(self, code: str, field: str | None, detail: Mapping[str, Any] | None) -> FailureExample:
        return ENVELOPE.example(code, field, detail)
