"""Displays errors as pages."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlsplit

from msgspec import Struct
from msgspec.structs import replace

from trilha.core.errors import ApiError, Conflict, ErrorEnvelope, Failure, Forbidden
from trilha.core.web.answers import Answer
from trilha.core.web.errors import ENVELOPE, FailureExample
from trilha.core.web.request import Request
from trilha.kit.flash import lead
from trilha.kit.forms import SENTENCES
from trilha.kit.preferences import page_of
from trilha.kit.rendering import render
from trilha.kit.translations import N_


class Words(Struct, frozen=True):
    """What happened and what to do next, as msgids."""

    title: str
    advice: str
    icon: str
    retry: bool = False


_WORDS = {
    400: Words(
        N_("This link does not work"),
        N_("The address is not valid. Go back and try again, or go to the home page."),
        "link-2-off",
    ),
    403: Words(
        N_("You do not have access to this page"),
        N_("Your role does not include this page. If you need it, ask an administrator of your company."),
        "lock",
    ),
    404: Words(
        N_("Page not found"),
        N_("It may have been moved or removed, or the address may be incomplete."),
        "search-x",
    ),
    409: Words(
        N_("Someone else changed this in the meantime"),
        N_("Go back, reload the page to see the latest version, and try again."),
        "git-compare-arrows",
    ),
    413: Words(N_("The file is too large"), N_("Go back and send a smaller one."), "file-warning"),
    422: Words(N_("Your changes were not saved"), N_("Go back and check the form."), "circle-alert"),
    429: Words(
        N_("Too many attempts"),
        N_("For your security, we paused new attempts. Wait a moment and try again."),
        "timer",
    ),
    500: Words(
        N_("Something went wrong on our side"),
        N_("We recorded the error. Try again. If it keeps happening, give support the code below."),
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
    """Returns the words of a status, or those of its class if it has none."""
    if status in _WORDS:
        return _WORDS[status]
    if status == 405:
        return _WORDS[404]
    return _WORDS[500 if status >= 500 else 400]


def _words_of(failure: Failure) -> Words:
    """Returns the words of a failure; for a conflict or a refusal, what is known about it."""
    known = words(failure.status)
    if isinstance(failure, Conflict | Forbidden) and failure.code in SENTENCES:
        return replace(known, advice=SENTENCES[failure.code])
    return known


class PageErrors(Struct, frozen=True):
    """Redirects people who are not signed in to `login`, and back afterwards.

    `steps` are URLs by error code. Those below `login` also lead back afterwards.
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
        template = "kit/_error.html" if by_htmx else "kit/error.html"
        return render(
            template,
            page_of(request),
            status=failure.status,
            words=_words_of(failure),
            number=failure.status,
            request_id=request.id if failure.status >= 500 else "",
        )

    def _to_login(self, step: str, request: Request, by_htmx: bool) -> Answer:
        """Redirects to sign-in or to one of its steps, which lead back to the requested page."""
        if by_htmx:
            where = urlsplit(request.header(b"hx-current-url") or "")
        else:
            where = urlsplit("")._replace(path=quote(request.full_path), query=request.query)
        # The data of a form is lost, so only pages can be returned to.
        back = where.path + (f"?{where.query}" if where.query else "")
        known = (by_htmx or request.method in ("GET", "HEAD")) and step.startswith(self.login)
        return lead(request, f"{step}?next={quote(back, safe='/')}" if known and back else step)

    def example(self, code: str, field: str | None, detail: Mapping[str, Any] | None) -> FailureExample:
        return ENVELOPE.example(code, field, detail)
