"""Compares two faces: by what the model in the browser has computed, or by an external service."""

import base64
import json
import math
from typing import Protocol
from uuid import UUID

from trilha.core.outbound.fetching import Fetcher, FetchFailed
from trilha.training.identity.rules import compute_distance
from trilha.training.identity.schema import Comparison, Face


class FaceMatcher(Protocol):
    """Compares a new photo with a person's reference."""

    async def compare(self, reference: Face, face: Face) -> Comparison: ...


class ModelMatcher:
    """Compares what the model in the browser has computed of both photos."""

    async def compare(self, reference: Face, face: Face) -> Comparison:
        return Comparison(compute_distance(reference.descriptor, face.descriptor))


class ServiceMatcher:
    """Asks a service over HTTP.

    It posts a form with `reference` and `photo`, two JPEG files as base64, and reads JSON such as
    `{"faces": 1, "distance": 0.31}`. A service that fails decides nothing, so that a person does.
    """

    def __init__(self, fetcher: Fetcher, tenant_id: UUID, url: str, token: str) -> None:
        self._fetcher = fetcher
        self._tenant_id = tenant_id
        self._url = url
        self._token = token

    async def compare(self, reference: Face, face: Face) -> Comparison:
        form = {"reference": _encode(reference.photo), "photo": _encode(face.photo)}
        headers = {"authorization": f"Bearer {self._token}"} if self._token else {}
        try:
            answer = await self._fetcher.post(self._tenant_id, self._url, form, headers)
        except FetchFailed:
            return Comparison(None)
        return _read(answer.body) if answer.status == 200 else Comparison(None)


def _encode(photo: bytes) -> str:
    return base64.b64encode(photo).decode()


def _read(body: bytes) -> Comparison:
    try:
        answer = json.loads(body)
        distance, faces = float(answer["distance"]), int(answer.get("faces", 1))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError):
        return Comparison(None)
    is_usable = math.isfinite(distance) and distance >= 0
    return Comparison(distance if is_usable else None, min(max(faces, 0), 100))


class FaceMatchers:
    """Makes the matcher that a company has chosen."""

    def __init__(self, fetcher: Fetcher) -> None:
        self._fetcher = fetcher

    def choose(self, tenant_id: UUID, url: str | None, token: str) -> FaceMatcher:
        return ServiceMatcher(self._fetcher, tenant_id, url, token) if url else ModelMatcher()
