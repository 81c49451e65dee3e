"""Adds a timestamp (RFC 3161) to a signed PDF, from a server that the company or the installation chooses.

The signing process has no network. It leaves room behind the signature, and the timestamp of the signature is
put there afterwards: the signature does not cover that room, so that it stays valid (PAdES baseline T).
"""

import hashlib
import re
import secrets
from typing import ClassVar
from uuid import UUID

from asn1crypto import cms, core, tsp
from msgspec import Struct

from trilha.core.outbound.fetching import Fetcher, FetchFailed
from trilha.core.outbound.guard import Guard

_SECONDS = 10.0
_MAX_BYTES = 16 * 1024
_RANGE = re.compile(rb"/ByteRange\s*\[\s*0\s+(\d+)\s+(\d+)\s+(\d+)\s*\]")


class _Response(core.Sequence):  # type: ignore[misc]
    """The answer of a timestamp server; one that refuses has no timestamp (RFC 3161, 2.4.2)."""

    _fields: ClassVar = [
        ("status", tsp.PKIStatusInfo),
        ("time_stamp_token", cms.ContentInfo, {"optional": True}),
    ]


class NotTimestamped(Exception):
    """There is no timestamp. The message is for administrators."""


class Timestamps(Struct, frozen=True):
    """Asks servers for timestamps. `url` is the installation's, for companies without one of their own."""

    fetcher: Fetcher
    url: str | None = None

    async def add(self, tenant_id: UUID, pdf: bytes, url: str) -> bytes:
        """Returns the PDF, whose signature has room, with a timestamp. Raises NotTimestamped."""
        start, end, content = _find_signature(pdf)
        info = cms.ContentInfo.load(content)
        signer = info["content"]["signer_infos"][0]
        digest = hashlib.sha256(signer["signature"].native).digest()
        nonce = secrets.randbits(64)
        token = read_answer(await self._ask(tenant_id, url, build_query(digest, nonce)), digest, nonce)
        attribute = cms.CMSAttribute({"type": "signature_time_stamp_token", "values": [token]})
        signer["unsigned_attrs"] = cms.CMSAttributes([attribute])
        written = info.dump(force=True).hex().encode()
        if len(written) > end - start:
            raise NotTimestamped("the timestamp is too large")
        stamped: bytes = pdf[:start] + written.ljust(end - start, b"0") + pdf[end:]
        return stamped

    async def _ask(self, tenant_id: UUID, url: str, query: bytes) -> bytes:
        headers = {"Content-Type": "application/timestamp-query", "Accept": "application/timestamp-reply"}
        try:
            result = await self.fetcher.post(tenant_id, url, query, headers)
        except FetchFailed as error:
            raise NotTimestamped(f"the timestamp server did not answer ({error})") from None
        if result.status != 200:
            raise NotTimestamped(f"the timestamp server answered with status {result.status}")
        return result.body


def build_timestamps(guard: Guard, url: str | None) -> Timestamps:
    return Timestamps(Fetcher(guard, seconds=_SECONDS, most_bytes=_MAX_BYTES), url)


def build_query(digest: bytes, nonce: int) -> bytes:
    """Builds the request for a timestamp of a SHA-256 digest (RFC 3161, 2.4.1)."""
    imprint = {"hash_algorithm": {"algorithm": "sha256"}, "hashed_message": digest}
    query = {"version": 1, "message_imprint": imprint, "nonce": nonce, "cert_req": True}
    dumped: bytes = tsp.TimeStampReq(query).dump()
    return dumped


def read_answer(answer: bytes, digest: bytes, nonce: int) -> cms.ContentInfo:
    """Returns the timestamp if it is the one that was asked for. Raises NotTimestamped."""
    try:
        response = _Response.load(answer, strict=True)
        status = response["status"]["status"].native
        if status not in ("granted", "granted_with_mods"):
            raise NotTimestamped(f"the timestamp server refused ({status})")
        token = response["time_stamp_token"]
        content = token["content"]["encap_content_info"]
        if content["content_type"].native != "tst_info":
            raise NotTimestamped("the timestamp server's answer is no timestamp")
        info = content["content"].parsed
        imprint = info["message_imprint"]
        is_ours = (
            imprint["hash_algorithm"]["algorithm"].native == "sha256"
            and imprint["hashed_message"].native == digest
            and info["nonce"].native == nonce
        )
    except (ValueError, TypeError, KeyError, AttributeError):
        raise NotTimestamped("the timestamp server's answer is no timestamp") from None
    if not is_ours:
        raise NotTimestamped("the timestamp server's answer is for another signature")
    return token


def _find_signature(pdf: bytes) -> tuple[int, int, bytes]:
    """Returns where the hexadecimal digits of the last signature are, and the signature."""
    before, after, rest = (int(each) for each in _RANGE.findall(pdf)[-1])
    if after + rest != len(pdf) or pdf[before : before + 1] != b"<":
        raise NotTimestamped("the signature was not found")
    start, end = before + 1, after - 1
    return start, end, bytes.fromhex(pdf[start:end].decode())
