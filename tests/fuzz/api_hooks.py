"""Tells schemathesis who is signed in to /api. Each call has a new session, because some calls sign out."""

import os
from typing import Any
from uuid import uuid4

import httpx2
import schemathesis
from schemathesis import AuthContext, Case

PERSON = {"email": f"{uuid4().hex}@example.com", "password": "correct horse"}
HTTP = httpx2.Client(base_url=os.environ["TRILHA_FUZZ_URL"])
HTTP.post(
    "/v1/users",
    json=PERSON | {"name": "Fuzz"},
    headers={"authorization": f"Bearer {os.environ['TRILHA_FUZZ_KEY']}"},
).raise_for_status()


@schemathesis.auth(refresh_interval=None)
class Session:
    def get(self, case: Case, context: AuthContext) -> str:
        answer = HTTP.post("/api/auth/login", json=PERSON | {"tenant_slug": "demo"})
        HTTP.cookies.clear()
        token: str = answer.raise_for_status().json()["session_token"]
        return token

    def set(self, case: Case, data: str, context: AuthContext) -> Any:
        if not case.headers:
            case.headers = {}  # type: ignore[assignment]
        case.headers["Authorization"] = f"Bearer {data}"
