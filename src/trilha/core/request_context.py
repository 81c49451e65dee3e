"""The request that runs: what it writes bears its id and its trace, so that later work can be traced back."""

from contextvars import ContextVar

from trilha.core import tracing

# None in workers and commands
request_id: ContextVar[str | None] = ContextVar("request_id", default=None)


def describe_cause() -> dict[str, str | None]:
    """Returns the columns that name the cause of a row."""
    return {"request_id": request_id.get(), "traceparent": tracing.read_traceparent()}
