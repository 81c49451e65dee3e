"""What the editor of a template sends: flat fields, made of a template and read into one."""

import asyncio
from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, structs

from trilha.certificates.templates import pictures
from trilha.certificates.templates.rules import MOST_SIGNATORIES
from trilha.certificates.templates.schema import NewTemplate, Picture, Signer, Template, TemplatePatch
from trilha.core.errors import Invalid
from trilha.core.types import STORABLE
from trilha.core.web.callers import Caller
from trilha.core.web.parsing import convert
from trilha.core.web.uploads import UploadedFile
from trilha.pages import N_, say

SIGNERS = range(1, MOST_SIGNATORIES + 1)
TEXTS = ("title", "intro", "body", "closing", "footer")
_PLAIN = ("name", "design", "orientation", "locale", "logo_from", "logo")
_PARTS = ("name", "role", "picture")
_Text = Annotated[str, Meta(max_length=2000, extra_json_schema=STORABLE)]
say(
    unknown_placeholder=N_("One of the placeholders is not known. Use those of the list."),
    too_little_contrast=N_("This colour is too light on white paper. Choose a darker one."),
    picture_not_an_image=N_("Choose an image in PNG, JPEG or WebP."),
    picture_too_large=N_("Choose an image of at most 1 MB and 4,000 pixels on a side."),
    picture_missing=N_("Choose the image of the logo."),
    template_name_exists=N_("Another template has this name. Choose another one."),
)


class TemplateForm(Struct, frozen=True, kw_only=True):
    """As it is sent; `read` checks it. With `step` other than `save` the form is only shown again: to look at
    it, or with a signatory one place further up."""

    step: Literal["save", "preview", "up_2", "up_3"] = "save"
    name: _Text
    design: _Text = "classic"
    orientation: _Text = "landscape"
    locale: _Text = ""
    colours: Literal["usual", "own"] = "usual"
    colour: _Text = ""
    accent: _Text = ""
    logo_from: _Text = "company"
    logo: _Text = ""
    logo_file: UploadedFile | None = None
    title: _Text = ""
    intro: _Text = ""
    body: _Text = ""
    closing: _Text = ""
    footer: _Text = ""
    syllabus: bool = False
    signer_1_name: _Text = ""
    signer_1_role: _Text = ""
    signer_1_picture: _Text = ""
    signer_1_file: UploadedFile | None = None
    signer_1_remove: bool = False
    signer_2_name: _Text = ""
    signer_2_role: _Text = ""
    signer_2_picture: _Text = ""
    signer_2_file: UploadedFile | None = None
    signer_2_remove: bool = False
    signer_3_name: _Text = ""
    signer_3_role: _Text = ""
    signer_3_picture: _Text = ""
    signer_3_file: UploadedFile | None = None
    signer_3_remove: bool = False


Uploads = Mapping[str, Picture]


async def read_pictures(form: TemplateForm, caller: Caller) -> Uploads:
    """The images that were sent, by the field that names them, before the transaction begins."""
    found = {}
    sent = {"logo": form.logo_file} | {f"signer_{n}_picture": _file(form, n) for n in SIGNERS}
    for field, upload in sent.items():
        if upload is not None and upload.size:
            kind: pictures.Kind = "logo" if field == "logo" else "signature"
            shown = field.replace("_picture", "_file") if field != "logo" else "logo_file"
            found[field] = await asyncio.to_thread(pictures.read, upload.path, upload.size, kind, field=shown)
    return found


def _file(form: TemplateForm, number: int) -> UploadedFile | None:
    upload: UploadedFile | None = getattr(form, f"signer_{number}_file")
    return upload


def values_of(form: TemplateForm, uploads: Uploads) -> dict[str, str]:
    """The fields as text, with the images that were sent, in the order that was asked for."""
    values = {
        name: ("true" if value else "") if isinstance(value, bool) else str(value)
        for name, value in structs.asdict(form).items()
        if isinstance(value, str | bool)
    }
    for number in SIGNERS:
        if getattr(form, f"signer_{number}_remove"):
            values[f"signer_{number}_picture"] = ""
    values |= {field: picture.name for field, picture in uploads.items()}
    if form.step in ("up_2", "up_3"):
        lower = int(form.step[-1])
        for part in _PARTS:
            one, other = f"signer_{lower}_{part}", f"signer_{lower - 1}_{part}"
            values[one], values[other] = values[other], values[one]
    return {name: value for name, value in values.items() if not name.endswith("_remove")}


def read(values: Mapping[str, str], today: date) -> NewTemplate:
    """Raises Invalid, with the fields of the form."""
    numbers = [n for n in SIGNERS if any(values.get(f"signer_{n}_{part}") for part in _PARTS)]
    own = values.get("colours") == "own"
    raw: dict[str, Any] = {name: values[name] for name in _PLAIN if values.get(name)}
    raw |= {name: values[name] for name in ("colour", "accent") if own and values.get(name)}
    raw["texts"] = {name: values.get(name, "") for name in TEXTS}
    raw["signatories"] = [_signer(values, n) for n in numbers]
    raw["syllabus"] = bool(values.get("syllabus"))
    if raw.get("logo_from") != "own":
        raw.pop("logo", None)
    try:
        return convert(NewTemplate, raw, today)
    except Invalid as error:
        raise Invalid(
            structs.replace(each, field=_flat(each.field, numbers)) for each in error.detail
        ) from None


def _signer(values: Mapping[str, str], number: int) -> dict[str, str]:
    found = {part: values.get(f"signer_{number}_{part}", "") for part in _PARTS}
    return {part: text for part, text in found.items() if text or part == "name"}


def _flat(field: str, numbers: list[int]) -> str:
    """`texts.body` is `body`, `signatories.0.role` is `signer_1_role`."""
    first, *rest = field.split(".")
    if first == "texts" and rest:
        return rest[0]
    if first == "signatories" and len(rest) > 1:
        return f"signer_{numbers[int(rest[0])]}_{rest[1]}"
    return first


def patch_of(template: NewTemplate) -> TemplatePatch:
    """All of it."""
    return TemplatePatch(**structs.asdict(template))


def begins_of(template: Template | NewTemplate) -> dict[str, object]:
    """The form of a template."""
    begins: dict[str, object] = {name: getattr(template, name) or "" for name in _PLAIN}
    begins["colours"] = "own" if template.colour or template.accent else "usual"
    begins |= {"colour": template.colour or "#1f3a5f", "accent": template.accent or "#b08d3c"}
    begins |= structs.asdict(template.texts)
    begins["syllabus"] = "true" if template.syllabus else ""
    for number in SIGNERS:
        known = number <= len(template.signatories)
        signer: Signer | None = template.signatories[number - 1] if known else None
        begins[f"signer_{number}_name"] = signer.name if signer else ""
        begins[f"signer_{number}_role"] = signer.role if signer else ""
        begins[f"signer_{number}_picture"] = (signer.picture or "") if signer else ""
    return begins
