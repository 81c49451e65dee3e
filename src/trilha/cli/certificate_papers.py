"""trilha certificate template, identity, check: the design and signature of certificates."""

import io
import sys
from pathlib import Path
from typing import Any
from uuid import UUID

import click
from msgspec import Struct

from trilha.cli.input import read_bytes, read_yaml
from trilha.cli.output import CommandError, as_json, in_tenant, in_transaction, show
from trilha.core.database import Tx
from trilha.core.file_store import FileStore, open_file_store
from trilha.core.web.parsing import convert
from trilha.settings import Settings
from trilha.training.certificates import signatures
from trilha.training.certificates.signatures import actions as identities
from trilha.training.certificates.signatures.reading import IdentityReader
from trilha.training.certificates.templates import actions, pictures
from trilha.training.certificates.templates.schema import NewTemplate, Template

_MAX_PDF_BYTES = 32 << 20
_REFUSALS = {
    "changed": "The file was changed after it was signed.",
    "unreadable": "The file is no PDF that can be read.",
}


@click.command()
@in_tenant
@click.option("--file", "path", required=True, type=click.Path(path_type=Path), help="YAML or JSON.")
@click.option("--default", "is_default", is_flag=True, help="Of every course that has none of its own.")
@click.option("--course", "courses", multiple=True, type=click.UUID, metavar="ID", help="Of this course.")
@as_json
def template(tenant: str, path: Path, is_default: bool, courses: tuple[UUID, ...], as_json: bool) -> None:
    """Create a certificate template. Pictures in the file are paths relative to it."""
    raw = read_yaml(path)

    async def work(settings: Settings, tx: Tx) -> Template:
        files = open_file_store(settings.files_url, settings.data_dir / "files")
        await _keep_pictures(files, tx, raw, path.parent)
        made = await actions.create(tx, convert(NewTemplate, raw, tx.today))
        for course_id in courses:
            await actions.assign(tx, course_id, made.id)
        return await actions.make_default(tx, made.id) if is_default else made

    show(in_transaction(tenant, work), as_json)


async def _keep_pictures(files: FileStore, tx: Tx, raw: Any, beside: Path) -> None:
    """Stores the pictures and replaces each path by the name under which it is stored."""
    if not isinstance(raw, dict):
        return
    places: list[tuple[dict[str, Any], str, pictures.Kind]] = [(raw, "logo", "logo")]
    signers = raw.get("signatories")
    for each in signers if isinstance(signers, list) else []:
        if isinstance(each, dict):
            places.append((each, "picture", "signature"))
    for place, member, kind in places:
        if isinstance(sent := place.get(member), str):
            file = beside / sent
            size = len(read_bytes(file, pictures.MAX_BYTES))
            place[member] = await actions.keep_picture(
                files, tx, pictures.read(file, size, kind, field=member)
            )


@click.command()
@in_tenant
@click.option("--file", "path", type=click.Path(path_type=Path), help="PKCS #12: .p12 or .pfx.")
@click.option("--remove", is_flag=True, help="Sign certificates no longer.")
@as_json
def identity(tenant: str, path: Path | None, remove: bool, as_json: bool) -> None:
    """Sign certificates with the key in a file; its password is read from a line of standard input."""
    if (path is None) != remove:
        raise CommandError("Give either --file or --remove.")
    content = read_bytes(path) if path else b""
    password = sys.stdin.readline().rstrip("\r\n") if path else ""

    async def work(settings: Settings, tx: Tx) -> Any:
        if not remove:
            reader = IdentityReader(settings.data_dir / "scratch")
            try:
                return await identities.put(tx, await reader.read(tx.tenant_id, content, password, tx.now))
            finally:
                await reader.close()
        await identities.remove(tx)
        return {"removed": True}

    show(in_transaction(tenant, work), as_json)


class PaperCheck(Struct, frozen=True):
    """The result of a check. `badge` is the credential attached to the PDF."""

    signature: signatures.Verdict
    badge: str | None


@click.command()
@click.argument("path", type=click.Path(path_type=Path))
@as_json
def check(path: Path, as_json: bool) -> None:
    """Check a PDF's signature and badge, without a server. The exit code is 1 if the PDF was changed."""
    pdf = read_bytes(path, _MAX_PDF_BYTES)
    checked = PaperCheck(signatures.verdict(pdf), _badge(pdf))
    show(checked, as_json)
    if checked.signature.state in ("changed", "unreadable"):
        raise CommandError(_REFUSALS[checked.signature.state])


def _badge(pdf: bytes) -> str | None:
    import pypdf

    try:
        attached = pypdf.PdfReader(io.BytesIO(pdf)).attachments.get("credential.jwt")
    except Exception:
        return None
    return attached[0].decode(errors="replace") if attached else None
