"""Failures of the content origin: to scripts as the answer that they read, to people as a page."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from trilha.core.errors import ApiError, ErrorEnvelope, Failure
from trilha.core.web.answers import Answer, json_answer
from trilha.core.web.errors import ENVELOPE, FailureExample
from trilha.core.web.request import Request
from trilha.kit import render
from trilha.web.player import assets
from trilha.web.player.frame import page_of_frame
from trilha.web.player.reports import GENERAL_ERROR, ReportAnswer

# What browsers say of a request for a document or a frame (Fetch Metadata).
_DOCUMENTS = ("document", "iframe", "frame")


class ContentErrors:
    body: type[Struct] = ErrorEnvelope

    def write(self, failure: Failure, request: Request) -> Answer:
        code = failure.code if isinstance(failure, ApiError) else ""
        if request.method not in ("GET", "HEAD"):
            return json_answer(failure.status, ReportAnswer(False, GENERAL_ERROR, code.upper()))
        if request.header(b"sec-fetch-dest") not in _DOCUMENTS:
            return Answer(failure.status, b"", [(b"content-type", b"text/plain; charset=utf-8")])
        return render(
            "player/failure.html",
            page_of_frame(request),
            status=failure.status,
            code=code,
            assets=assets.prefix(),
            styles=assets.styles(),
        )

    def example(self, code: str, field: str | None, detail: Mapping[str, Any] | None) -> FailureExample:
        return ENVELOPE.example(code, field, detail)
