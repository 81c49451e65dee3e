"""Tells schemathesis which client calls /oauth, and which tokens it has."""

import itertools
import os
from base64 import b64decode
from typing import Any

import httpx2
import schemathesis
from schemathesis import Case, HookContext

CLIENT_ID, SECRET = b64decode(os.environ["TRILHA_FUZZ_BASIC"]).decode().split(":")
HTTP = httpx2.Client(base_url=os.environ["TRILHA_FUZZ_URL"] + "/oauth", auth=(CLIENT_ID, SECRET))
IN_THE_FORM = {"client_id", "client_secret", "client_assertion_type", "client_assertion"}
CALLS = itertools.count()


@schemathesis.hook
def before_call(context: HookContext, case: Case, kwargs: dict[str, Any]) -> None:
    if not isinstance(case.body, dict) or not is_positive(case):
        return
    # A client authenticates in one way, here in the header.
    for name in IN_THE_FORM & case.body.keys():
        del case.body[name]
    if "token" in case.body and next(CALLS) % 2 == 0:
        case.body["token"] = live_token()


def is_positive(case: Case) -> bool:
    return case.meta is None or case.meta.generation.mode.is_positive


def live_token() -> str:
    token: str = HTTP.post("/token", data={"grant_type": "client_credentials"}).json()["access_token"]
    return token
