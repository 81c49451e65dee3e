"""How an endpoint is declared.

    @routes.post("/enrollments", scope=Scope.ENROLLMENTS_WRITE, status=201, errors=["user_not_found"])
    async def create_enrollment(tx: Tx, data: NewEnrollment) -> Envelope[Enrollment]:
        '''Enroll one user in one course.'''

A handler's parameters say what it needs. `tx` is its one transaction, `query` the query string, `data` a
JSON body, `form` the fields and files of an HTML form, each as the Struct of its annotation. A parameter
named in the path has the type of its annotation. `prepared` is what the route's `prepare` made of the body
before the transaction began, for what takes long. Everything else is found by type: the `Request`, the
`Caller`, whatever the application has one of, and what it makes for each request (see `PerRequest`). What it
returns says what is answered (see `answers`).

A route may take both `data` and a `form`: a multipart body is the form, and the other parameter is None. Of a
handler that returns `X | AcceptedResult[Y]`, a result `AcceptedResult` has the status 202 and leads to the
route's `progress`. `prepare` may name values of the application by type after its two parameters; if its
result is `Disposable`, it is disposed of at the end.

A form that is refused is shown again: a route's `refused` is a handler that is given the `Refusal`.

The declaration is the only source: the router, the OpenAPI description, `trilha routes` and the contract
tests all read the same `Route`.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cached_property
from typing import (
    Any,
    ClassVar,
    Generic,
    Protocol,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
    runtime_checkable,
)

import msgspec
from msgspec import Struct

from trilha.core.credentials import Scope
from trilha.core.errors import ApiError
from trilha.core.web.answers import (
    AcceptedResult,
    Headers,
    Redirect,
    Stream,
    WrittenAnswer,
    encode_headers,
)
from trilha.core.web.callers import Access, Caller, RequiresScope
from trilha.core.web.request import Request
from trilha.core.web.uploads import MULTIPART, UploadedFile

T = TypeVar("T")
Handler = Callable[..., Awaitable[Any]]

MIB = 1024 * 1024
# parameters that are not resolved by type, besides those in the path
_OWN = ("tx", "data", "form", "query", "prepared", "refusal", "return")


class Envelope(Struct, Generic[T], frozen=True):
    data: T


class NoQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """For routes without query parameters: any is refused."""


class NoBody(Struct, frozen=True, forbid_unknown_fields=True):
    """For routes without a body: only an empty body or an empty object is accepted."""


class AnyQuery(Struct, frozen=True):
    """For routes that ignore their query string."""


class RawBody(Struct, frozen=True):
    """An unparsed body of any media type, which the handler reads.

    A subclass is described as its `described`.
    """

    content: bytes
    described: ClassVar[type[Struct] | None] = None


class Refusal(Struct, frozen=True):
    """A refused form: the fields as sent, and the reason."""

    values: Mapping[str, Any]
    failure: ApiError


class PerRequest(Protocol):
    """Creates the value of type `makes` for each request."""

    @property
    def makes(self) -> type: ...

    def make(self, request: Request, caller: Caller) -> Any: ...


@runtime_checkable
class Disposable(Protocol):
    """What `prepare` leaves behind unless the transaction has taken it over."""

    async def dispose(self) -> None: ...


class RestOfPath(str):
    """The type of a last path parameter that takes the rest of the path, including slashes."""

    __slots__ = ()


class Route(Struct, frozen=True, kw_only=True, eq=False, dict=True):
    """One operation of a surface."""

    method: str
    path: str
    handler: Handler
    access: Access
    status: int
    tag: str
    errors: Sequence[str]
    details: Mapping[
        str, Any
    ]  # by code: the `detail` of its example, or a function that derives it from an example response
    max_body: int  # bytes
    max_upload: int | None  # bytes of a form, if it may be larger than another body
    progress: str | None  # the path of the status of accepted work, with members of its `data`
    rate_limit: str | None  # one of its surface's limits, or None for the default
    urgent: bool  # whether it goes first and is refused last when the server is overloaded
    headers: Mapping[str, str]  # of its successful responses, in place of its surface's
    tells: Sequence[str]  # headers of its success that not every response has
    media_type: str | None  # of its success, if that is text of another type than its surface's
    example: str  # of such a text
    described: bool  # in the surface's OpenAPI description
    from_other_sites: bool  # whether other sites' pages may send it in a browser, as identity providers do
    writes: bool  # whether its transaction writes; by default, every method's does except GET's
    path_params: Mapping[str, type]
    query: type[Struct]
    data: type[Struct] | None
    form: type[Struct] | None
    # Awaited with the body and the caller before the transaction begins; its result is the parameter
    # `prepared`.
    prepare: Callable[..., Awaitable[Any]] | None
    prepare_dependencies: Mapping[str, type]
    refused: Handler | None  # shows a refused form again
    dependencies: Mapping[str, type]  # the parameters that are resolved by type
    needs_tx: bool
    result: Any
    accepted: Any  # the result with the status 202, if there is one besides `result`

    @property
    def name(self) -> str:
        return self.handler.__name__

    @cached_property
    def encoded_headers(self) -> Headers:
        return encode_headers(self.headers)

    @property
    def described_body(self) -> type[Struct] | None:
        """The body in descriptions. A Struct whose members are read later has another one there."""
        return getattr(self.data, "described", None) or self.data or self.described_form

    @property
    def described_form(self) -> type[Struct] | None:
        """The form in descriptions. One with files has another Struct there."""
        return getattr(self.form, "described", None) or self.form

    def takes_form(self, request: Request) -> bool:
        """Returns whether the body of this request is the route's form."""
        return self.form is not None and (self.data is None or request.media_type == MULTIPART)

    @property
    def takes_raw_body(self) -> bool:
        return self.data is not None and issubclass(self.data, RawBody)

    @property
    def scope(self) -> Scope | None:
        return self.access.scope if isinstance(self.access, RequiresScope) else None

    @cached_property
    def lists(self) -> frozenset[str]:
        """The fields of its form that may be repeated."""
        if self.form is None:
            return frozenset()
        return frozenset(
            field.encode_name
            for field in msgspec.structs.fields(self.form)
            if any(get_origin(arm) is list or arm is list for arm in _arms(field.type))
        )

    @cached_property
    def takes_files(self) -> bool:
        return self.form is not None and any(
            UploadedFile in _arms(field.type) for field in msgspec.structs.fields(self.form)
        )


def _get_answer_type(kind: Any) -> Any:
    """Returns a handler's response type in descriptions: for written or streamed responses, the type of
    the whole.
    """
    if kind is Redirect:
        return type(None)
    return get_args(kind)[0] if get_origin(kind) in (Stream, WrittenAnswer) else kind


def _split_accepted(kind: Any) -> tuple[Any, Any]:
    """Returns the result with the route's own status, and that with 202 or None."""
    arms = [arm for arm in _arms(kind)[1:] if get_origin(arm) is AcceptedResult]
    if not arms:
        return kind, None
    own = next(arm for arm in _arms(kind)[1:] if get_origin(arm) is not AcceptedResult)
    return own, get_args(arms[0])[0]


def _without_none(kind: Any) -> Any:
    """Returns the type of a parameter that may be None."""
    return next((arm for arm in _arms(kind)[1:] if arm is not type(None)), kind)


def _arms(kind: Any) -> tuple[Any, ...]:
    return (kind, *getattr(kind, "__args__", ()))


class Routes:
    """The routes of one feature, in the order of the reference."""

    def __init__(self, tag: str, description: str) -> None:
        self.tag = tag
        self.description = description
        self.all: list[Route] = []

    def get(self, path: str, **declared: Any) -> Callable[[Handler], Handler]:
        return self._add("GET", path, **declared)

    def post(self, path: str, **declared: Any) -> Callable[[Handler], Handler]:
        return self._add("POST", path, **declared)

    def put(self, path: str, **declared: Any) -> Callable[[Handler], Handler]:
        return self._add("PUT", path, **declared)

    def patch(self, path: str, **declared: Any) -> Callable[[Handler], Handler]:
        return self._add("PATCH", path, **declared)

    def delete(self, path: str, **declared: Any) -> Callable[[Handler], Handler]:
        return self._add("DELETE", path, **declared)

    def _add(
        self,
        method: str,
        path: str,
        *,
        scope: Scope | None = None,
        access: Access | None = None,
        status: int = 200,
        errors: Sequence[str] = (),
        details: Mapping[str, Any] | None = None,
        max_body: int = MIB,
        max_upload: int | None = None,
        progress: str | None = None,
        rate_limit: str | None = None,
        urgent: bool = False,
        headers: Mapping[str, str] | None = None,
        tells: Sequence[str] = (),
        media_type: str | None = None,
        example: str = "",
        described: bool = True,
        from_other_sites: bool = False,
        writes: bool | None = None,
        prepare: Callable[..., Awaitable[Any]] | None = None,
        refused: Handler | None = None,
    ) -> Callable[[Handler], Handler]:
        """Adds a route. It requires either a `scope` or another `access`."""
        if (scope is None) == (access is None):
            raise TypeError(f"{method} {path} must say who may call it: scope= or access=")

        def declare(handler: Handler) -> Handler:
            self.all.append(
                Route(
                    method=method,
                    path=path,
                    handler=handler,
                    access=access or RequiresScope(scope),  # type: ignore[arg-type]
                    status=status,
                    tag=self.tag,
                    errors=tuple(errors),
                    details=details or {},
                    max_body=max_body,
                    max_upload=max_upload,
                    progress=progress,
                    rate_limit=rate_limit,
                    urgent=urgent,
                    headers=headers or {},
                    tells=tuple(tells),
                    media_type=media_type,
                    example=example,
                    described=described,
                    from_other_sites=from_other_sites,
                    writes=method != "GET" if writes is None else writes,
                    prepare=prepare,
                    prepare_dependencies=_list_dependencies(prepare),
                    refused=refused,
                    **_signature(handler, path),
                )
            )
            return handler

        return declare


def _signature(handler: Handler, path: str) -> dict[str, Any]:
    """Returns what a handler's annotations declare."""
    hints = get_type_hints(handler)
    names = [part[1:-1] for part in path.split("/") if part.startswith("{")]
    own = (*_OWN, *names)
    result, accepted = _split_accepted(hints["return"])
    return {
        "path_params": {name: hints[name] for name in names},
        "query": hints.get("query", NoQuery),
        "data": _without_none(hints["data"]) if "data" in hints else None,
        "form": _without_none(hints["form"]) if "form" in hints else None,
        "dependencies": {name: hint for name, hint in hints.items() if name not in own},
        "needs_tx": "tx" in hints,
        "result": _get_answer_type(result),
        "accepted": accepted,
    }


def _list_dependencies(prepare: Callable[..., Awaitable[Any]] | None) -> dict[str, type]:
    """Returns the parameters of `prepare` after the body and the caller."""
    if prepare is None:
        return {}
    hints = get_type_hints(prepare)
    hints.pop("return", None)
    return dict(list(hints.items())[2:])
