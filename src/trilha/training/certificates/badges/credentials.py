"""Credentials of Open Badges 3.0 and lists of Bitstring Status List 1.0, signed as JWTs (VC-JWT). No I/O."""

import base64
import gzip
import hashlib
import warnings
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec
from joserfc import jws
from joserfc.errors import SecurityWarning
from msgspec import Struct

from trilha.training.certificates.badges.keys import SigningKey

# The algorithm name that wallets know. RFC 9864 has a newer one, of which joserfc warns.
ALGORITHM = "EdDSA"
warnings.filterwarnings("ignore", "EdDSA is deprecated", SecurityWarning)
# The smallest list that the standard allows, so that a look-up does not reveal whose badge is checked.
LIST_LENGTH = 131_072
LIST_LASTS = timedelta(days=1)
_CREDENTIALS = "https://www.w3.org/ns/credentials/v2"
_OPEN_BADGES = "https://purl.imsglobal.org/spec/ob/v3p0/context-3.0.3.json"


class Place(Struct, frozen=True):
    """Where a tenant's badges are verified. `address` is the server's public address."""

    address: str
    slug: str

    @property
    def issuer(self) -> str:
        return f"{self.address}/badges/{self.slug}"

    @property
    def keys(self) -> str:
        return f"{self.issuer}/keys.json"

    def key(self, kid: str) -> str:
        return f"{self.issuer}/keys/{kid}"

    def status_list(self, number: int) -> str:
        """Builds a signed BitstringStatusListCredential. `revoked` are the badge indexes of this list."""
        return f"{self.issuer}/status/{number}"


class Achievement(Struct, frozen=True, kw_only=True):
    """The parts of a certificate that its badge contains."""

    id: UUID
    code: str
    name: str
    course_id: UUID
    course: str
    company: str
    language: str
    issued_at: datetime
    expires_at: datetime | None
    criteria: str
    evidence_hash: bytes | None
    url: str
    badge_index: int


def issuer_profile(place: Place, name: str) -> dict[str, Any]:
    return {"id": place.issuer, "type": ["Profile"], "name": name, "url": place.address}


def credential(place: Place, key: SigningKey, of: Achievement) -> str:
    """Builds a signed OpenBadgeCredential. The recipient is a salted hash of the name on the certificate."""
    id, subject = f"urn:uuid:{of.id}", f"{of.url}#holder"
    claims = {
        "@context": [_CREDENTIALS, _OPEN_BADGES],
        "id": id,
        "type": ["VerifiableCredential", "OpenBadgeCredential"],
        "name": of.course,
        "issuer": issuer_profile(place, of.company),
        "validFrom": _moment(of.issued_at),
        "credentialSubject": {
            "id": subject,
            "type": ["AchievementSubject"],
            "identifier": [_identity(of)],
            "achievement": {
                "id": f"urn:uuid:{of.course_id}",
                "type": ["Achievement"],
                "achievementType": "CertificateOfCompletion",
                "name": of.course,
                "description": of.course,
                "inLanguage": of.language,
                "criteria": {"narrative": of.criteria},
            },
        },
        "evidence": [_evidence(of)],
        "credentialStatus": _status(place, of.badge_index),
        "iss": place.issuer,
        "jti": id,
        "sub": subject,
        "nbf": int(of.issued_at.timestamp()),
    }
    if of.expires_at is not None:
        claims |= {"validUntil": _moment(of.expires_at), "exp": int(of.expires_at.timestamp())}
    return _sign(place, key, claims)


def _identity(of: Achievement) -> dict[str, Any]:
    digest = hashlib.sha256(f"{of.name}{of.code}".encode()).hexdigest()
    return {
        "type": "IdentityObject",
        "hashed": True,
        "identityHash": f"sha256${digest}",
        "identityType": "name",
        "salt": of.code,
    }


def _evidence(of: Achievement) -> dict[str, Any]:
    shown = {"id": of.url, "type": ["Evidence"], "name": of.code}
    if of.evidence_hash is not None:
        shown["narrative"] = f"SHA-256 {of.evidence_hash.hex()}"
    return shown


def _status(place: Place, badge_index: int) -> dict[str, Any]:
    number, index = divmod(badge_index, LIST_LENGTH)
    return {
        "id": f"{place.status_list(number)}#{index}",
        "type": "BitstringStatusListEntry",
        "statusPurpose": "revocation",
        "statusListIndex": str(index),
        "statusListCredential": place.status_list(number),
    }


def status_list(place: Place, key: SigningKey, number: int, revoked: Iterable[int], now: datetime) -> str:
    """A signed BitstringStatusListCredential. `revoked` are badge indexes of this list."""
    id = place.status_list(number)
    claims = {
        "@context": [_CREDENTIALS],
        "id": id,
        "type": ["VerifiableCredential", "BitstringStatusListCredential"],
        "issuer": place.issuer,
        "validFrom": _moment(now),
        "validUntil": _moment(now + LIST_LASTS),
        "credentialSubject": {
            "id": f"{id}#list",
            "type": "BitstringStatusList",
            "statusPurpose": "revocation",
            "encodedList": _bits(each % LIST_LENGTH for each in revoked),
        },
        "iss": place.issuer,
        "jti": id,
        "sub": f"{id}#list",
        "nbf": int(now.timestamp()),
        "exp": int((now + LIST_LASTS).timestamp()),
    }
    return _sign(place, key, claims)


def _bits(places: Iterable[int]) -> str:
    """Returns the compressed bits in multibase Base64url; the first bit is the highest of the first byte."""
    bits = bytearray(LIST_LENGTH // 8)
    for place in places:
        bits[place // 8] |= 0x80 >> place % 8
    return "u" + base64.urlsafe_b64encode(gzip.compress(bytes(bits), mtime=0)).decode().rstrip("=")


def _sign(place: Place, key: SigningKey, claims: dict[str, Any]) -> str:
    header = {"alg": ALGORITHM, "typ": "JWT", "kid": place.key(key.kid)}
    return jws.serialize_compact(header, msgspec.json.encode(claims), key.key, algorithms=[ALGORITHM])


def _moment(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")
