"""Checks a PDF's signature: who signed it, and whether it was changed since."""

import io
import logging
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal

from asn1crypto import algos, cms, core, parser
from msgspec import Struct

from trilha.core.types import Timestamp


class Verdict(Struct, frozen=True, omit_defaults=True):
    """The result of checking a signature. `intact`: not one byte differs from what was signed. Whether to
    trust the signer is for the reader to decide by name, issuer and fingerprint (SHA-256, hexadecimal).
    """

    state: Literal["unsigned", "intact", "changed", "unreadable"]
    signer: str | None = None
    issuer: str | None = None
    fingerprint: str | None = None
    signed_at: Timestamp | None = None


def verdict(pdf: bytes) -> Verdict:
    """Checks a PDF in about 50 ms, without network access."""
    # Importing takes half a second, and few requests need it.
    from pyhanko.pdf_utils.reader import PdfFileReader

    try:
        reader = PdfFileReader(io.BytesIO(pdf), strict=True)
        signatures = reader.embedded_signatures
    except Exception:
        return Verdict("changed" if b"/ETSI.CAdES.detached" in pdf else "unreadable")
    if not signatures:
        return Verdict("changed" if b"/ETSI.CAdES.detached" in pdf else "unsigned")
    # It runs its own event loop, which a thread with a running loop must not do.
    with ThreadPoolExecutor(1) as thread:
        try:
            return thread.submit(_of, signatures[-1]).result()
        except Exception:
            return Verdict("changed")


def _of(signature: Any) -> Verdict:
    from pyhanko.sign.validation import validate_pdf_signature
    from pyhanko.sign.validation.status import SignatureCoverageLevel
    from pyhanko_certvalidator import ValidationContext

    # This check involves no trust, and it must not log.
    logging.getLogger("pyhanko").setLevel(logging.CRITICAL + 1)
    context = ValidationContext(trust_roots=[signature.signer_cert], allow_fetching=False)
    status = validate_pdf_signature(signature, context)
    content = signature.pkcs7_content
    whole = status.coverage == SignatureCoverageLevel.ENTIRE_FILE
    whole = whole and _is_padded(content) and _is_of_one_form(content)
    # A timestamp is not covered by the signature, so that it must be intact by itself.
    if (stamp := status.timestamp_validity) is not None:
        whole = whole and stamp.intact and stamp.valid
    certificate = status.signing_cert
    at = signature.self_reported_timestamp
    return Verdict(
        "intact" if status.intact and status.valid and whole else "changed",
        _name(certificate.subject),
        _name(certificate.issuer),
        certificate.sha256.hex(),
        Timestamp.of(at) if at else None,
    )


def _is_padded(content: bytes) -> bool:
    """Tells whether the unsigned space around the signature holds only zeros."""
    return not any(content[parser.peek(content) :])


def _is_of_one_form(content: bytes) -> bool:
    """Tells whether the signature's version and digests, which are not signed, have their only valid form."""
    signed = cms.ContentInfo.load(content)["content"]
    (signer,) = signed["signer_infos"]
    if not {signed["version"].native, signer["version"].native} <= {"v1", "v3"}:
        return False
    said: bytes = signer["digest_algorithm"].dump()
    name = signer["digest_algorithm"]["algorithm"].native
    right = (
        algos.DigestAlgorithm({"algorithm": name, "parameters": each}).dump() for each in (core.Null(), None)
    )
    # A SET near the beginning. The parser would accept another tag as one, too.
    return said in right and b"\x31" + bytes([len(said)]) + said in content[:64]


def _name(name: Any) -> str:
    common = name.native.get("common_name")
    return str(common if isinstance(common, str) else name.human_friendly)
