"""`python -m trilha.training.certificates.signatures`: signs the PDFs on standard input."""

import io
import logging
from collections.abc import Callable

import msgspec
from pyhanko.pdf_utils.content import RawContent
from pyhanko.pdf_utils.generic import DictionaryObject, pdf_name
from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
from pyhanko.pdf_utils.layout import BoxConstraints
from pyhanko.sign.fields import MDPPerm, SigFieldSpec, SigSeedSubFilter, append_signature_field
from pyhanko.sign.signers import PdfSignatureMetadata, PdfSigner, SimpleSigner

from trilha.core.sandbox.serving import serve
from trilha.training.certificates.signatures.schema import ROOM, SigningResult, ToSign

# PAdES baseline B (ETSI EN 319 142-1), which certifies that nothing changes afterward. It is invisible.
_METADATA = PdfSignatureMetadata(
    field_name="Signature",
    md_algorithm="sha256",
    subfilter=SigSeedSubFilter.PADES,
    certify=True,
    docmdp_permissions=MDPPerm.NO_CHANGES,
)


def sign(request: ToSign) -> bytes:
    signer = SimpleSigner.load_pkcs12_data(request.archive, other_certs=[])
    # An update must start on a new line (ISO 19005-3 6.1.9), and Typst's last line has no end.
    before = io.BytesIO(request.pdf.rstrip() + b"\n")
    room = ROOM if request.has_room else None
    writer = IncrementalPdfFileWriter(before)
    _add_field(writer)
    written = PdfSigner(_METADATA, signer).sign_pdf(writer, existing_fields_only=True, bytes_reserved=room)
    return bytes(written.getbuffer())


def _add_field(writer: IncrementalPdfFileWriter) -> None:
    """Adds the field of the signature with an empty appearance, which PDF/A-1 asks for (ISO 19005-1 6.9)."""
    append_signature_field(writer, SigFieldSpec("Signature"))
    appearance = RawContent(b"", box=BoxConstraints(width=1, height=1)).as_form_xobject()
    field = writer.root["/AcroForm"]["/Fields"][0]
    field[pdf_name("/AP")] = DictionaryObject({pdf_name("/N"): writer.add_object(appearance)})  # type: ignore[no-untyped-call]


def make_answer() -> Callable[[bytes], bytes]:
    logging.disable()

    def answer(message: bytes) -> bytes:
        try:
            signed = SigningResult(sign(msgspec.msgpack.decode(message, type=ToSign)))
        except Exception as error:
            signed = SigningResult(error=type(error).__name__)
        return msgspec.msgpack.encode(signed)

    return answer


if __name__ == "__main__":
    serve(make_answer)
