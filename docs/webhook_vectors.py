"""Writes docs/webhook-vectors.json: `python -m docs.webhook_vectors`.

Each vector is a request as a receiver gets it, and whether it is authentic. The verifiers of
docs/howto/verify-webhooks.md and `trilha.verify_signature` agree with every one.
"""

import base64
import hmac
import json
from pathlib import Path
from typing import Any

from trilha.platform.webhooks.delivery.signing import sign

FILE = Path(__file__).with_name("webhook-vectors.json")
T = 1_800_000_000
# This is not a secret, and is recognizable as such.
SECRET = "whsec_" + base64.b64encode(bytes(range(32))).decode()
OTHER = "whsec_" + base64.b64encode(bytes(range(32, 64))).decode()
BODY = b'{"id":"evt_0f8fad5bd9cb469fa16570867728950e","type":"enrollment.completed","data":{"score":87.5}}'
GOOD = sign([SECRET], T, BODY)
V1 = GOOD.partition("v1=")[2]
V1_OF_OTHER = sign([OTHER], T, BODY).partition("v1=")[2]
V1_OF_DECODED = hmac.new(bytes(range(32)), b"%d." % T + BODY, "sha256").hexdigest()


def vector(
    name: str, expected: bool, header: str = GOOD, *, body: bytes = BODY, secret: str = SECRET, now: float = T
) -> dict[str, Any]:
    return {
        "name": name,
        "secret": secret,
        "body_base64": base64.b64encode(body).decode(),
        "header": header,
        "now": now,
        "expected": expected,
    }


def signed(name: str, body: bytes) -> dict[str, Any]:
    return vector(name, True, sign([SECRET], T, body), body=body)


VECTORS = [
    vector("good", True),
    # Time
    vector("299 s old", True, now=T + 299),
    vector("300 s old", True, now=T + 300),
    vector("300.5 s old", False, now=T + 300.5),
    vector("301 s old", False, now=T + 301),
    vector("299 s in the future", True, now=T - 299),
    vector("300 s in the future", True, now=T - 300),
    vector("301 s in the future", False, now=T - 301),
    vector("milliseconds for seconds", False, sign([SECRET], T * 1000, BODY)),
    vector("a new t before an old signature", False, f"t={T + 3600},v1={V1}", now=T + 3600),
    # Rotation
    vector("two v1, the right one first", True, sign([SECRET, OTHER], T, BODY)),
    vector("two v1, the right one last", True, sign([OTHER, SECRET], T, BODY)),
    vector("two v1, none right", False, f"t={T},v1={V1_OF_OTHER},v1={'0' * 64}"),
    vector("three v1, the right one in the middle", True, f"t={T},v1={V1_OF_OTHER},v1={V1},v1={'0' * 64}"),
    # The secret
    vector("wrong secret", False, secret=OTHER),
    vector("empty secret", False, sign([""], T, BODY), secret=""),
    vector("keyed with the decoded secret", False, f"t={T},v1={V1_OF_DECODED}"),
    # The body
    signed("empty body", b""),
    signed("body with a byte order mark", b"\xef\xbb\xbf" + BODY),
    vector("byte order mark taken off", False, sign([SECRET], T, b"\xef\xbb\xbf" + BODY)),
    signed("body that is not ASCII", '{"name":"João Conceição 🌱"}'.encode()),
    signed("body with unicode escapes", rb'{"name":"Jo\u00e3o Concei\u00e7\u00e3o \ud83c\udf31"}'),
    vector("unicode escapes resolved", False, sign([SECRET], T, rb'"\u00e3"'), body='"ã"'.encode()),
    signed("body that is not UTF-8", b"\x00\xff\xfe\x80"),
    signed("body that ends in a line feed", BODY + b"\n"),
    vector("line feed taken off", False, sign([SECRET], T, BODY + b"\n")),
    vector("one changed byte", False, body=BODY.replace(b"87.5", b"97.5")),
    vector("the same JSON with spaces", False, body=json.dumps(json.loads(BODY)).encode()),
    # t
    vector("no t", False, f"v1={V1}"),
    vector("t twice", False, f"t={T},t={T},v1={V1}"),
    vector("t twice, the second one fresh", False, f"t={T},t={T + 900},v1={V1}", now=T + 900),
    vector("t without an equals sign beside the right one", False, f"t,{GOOD}"),
    vector("empty t", False, f"t=,v1={V1}"),
    vector("t with a sign", False, f"t=+{T},v1={V1}"),
    vector("t with a fraction", False, f"t={T}.0,v1={V1}"),
    vector("t in hexadecimal", False, f"t=0x{T:x},v1={V1}"),
    vector("t with an exponent", False, f"t=18e8,v1={V1}"),
    vector("t with an underscore", False, f"t=1_800_000_000,v1={V1}"),
    vector("t in Arabic-Indic digits", False, f"t=١٨٠٠٠٠٠٠٠٠,v1={V1}"),
    vector("t of 5000 digits", False, f"t={'9' * 5000},v1={V1}"),
    vector("t that is a word", False, f"t=now,v1={V1}"),
    # v1
    vector("no v1", False, f"t={T}"),
    vector("v1 without an equals sign beside the right one", False, f"{GOOD},v1"),
    vector("right v1 with another equals sign", False, f"{GOOD}="),
    vector("empty v1", False, f"t={T},v1="),
    vector("v1 in upper case", True, f"t={T},v1={V1.upper()}"),
    vector("v1 a digit short", False, f"t={T},v1={V1[:-1]}"),
    vector("v1 a byte short", False, f"t={T},v1={V1[:-2]}"),
    vector("v1 a byte long", False, f"t={T},v1={V1}00"),
    vector("right v1 with a tail that is not hexadecimal", False, f"t={T},v1={V1}zz"),
    vector("v1 that is not hexadecimal", False, f"t={T},v1={'z' * 64}"),
    vector("v1 that is not ASCII", False, f"t={T},v1={'é' * 64}"),
    vector("right v1 beside one that is not hexadecimal", False, f"t={T},v1={V1},v1=nothing"),
    vector("right v1 beside one with a tail", False, f"t={T},v1={V1},v1={V1}zz"),
    vector("v1 in base64", False, f"t={T},v1={base64.b64encode(bytes.fromhex(V1)).decode()}"),
    # The header
    vector("empty header", False, ""),
    vector("junk", False, "\x01,;=;,v1"),
    vector("only commas", False, ",,,,"),
    vector("header of Standard Webhooks", False, f"v1,{base64.b64encode(bytes.fromhex(V1)).decode()}"),
    vector("v1 before t", True, f"v1={V1},t={T}"),
    vector("parts of other names beside", True, f"t={T},v0=zz,v1={V1},v2={'0' * 64},later,"),
    vector("right digest under another name", False, f"t={T},v0={V1}"),
    vector("names in upper case", False, f"T={T},V1={V1}"),
    vector("apart by a semicolon", False, f"t={T};v1={V1}"),
    # Spaces
    vector("spaces and tabs around the parts", True, f" t={T}\t, \tv1={V1} "),
    vector("space after the t's equals sign", False, f"t= {T},v1={V1}"),
    vector("space before the v1's equals sign", False, f"t={T},v1 ={V1}"),
    vector("spaces between the digits of v1", False, f"t={T},v1={' '.join(V1[:16])}{V1[16:]}"),
]


def text() -> str:
    about = (
        "What a receiver of Trilha's webhooks has in hand, and whether it is to believe it, the tolerance "
        "being 300 s. docs/howto/verify-webhooks.md explains. Written by `python -m docs.webhook_vectors`."
    )
    return json.dumps({"about": about, "vectors": VECTORS}, indent=2) + "\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
