"""The client of Trilha's API: `Trilha`, and `AsyncTrilha` for coroutines."""

from trilha_client import models, webhooks
from trilha_client._client import AsyncTrilha, Trilha
from trilha_client._pages import AsyncPages, Page, Pages
from trilha_client._version import __version__
from trilha_client.errors import (
    ApiError,
    AuthenticationError,
    BusinessRuleError,
    ConflictError,
    NetworkError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
    RefusalError,
    ServerError,
    TrilhaError,
    ValidationError,
)

__all__ = [
    "ApiError",
    "AsyncPages",
    "AsyncTrilha",
    "AuthenticationError",
    "BusinessRuleError",
    "ConflictError",
    "NetworkError",
    "NotFoundError",
    "Page",
    "Pages",
    "PermissionDeniedError",
    "RateLimitError",
    "RefusalError",
    "ServerError",
    "Trilha",
    "TrilhaError",
    "ValidationError",
    "__version__",
    "models",
    "webhooks",
]
