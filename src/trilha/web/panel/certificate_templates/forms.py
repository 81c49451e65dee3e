"""The template editor's form: converts a template to flat fields and back."""

import asyncio
from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, structs

from trilha.core.errors import Invalid
from trilha.core.types import STORABLE
from trilha.core.web.callers import Caller
from trilha.core.web.parsing import convert
from trilha.core.web.uploads import UploadedFile
from trilha.kit import N_, say
from trilha.training.certificates.templates import pictures, rules
from trilha.training.certificates.templates.rules import MAX_SIGNATORIES, Language
from trilha.training.certificates.templates.schema import (
    NewTemplate,
    Picture,
    Signer,
    Template,
    TemplatePatch,
)

SIGNERS = range(1, MAX_SIGNATORIES + 1)
TEXTS = ("title", "intro", "body", "closing", "footer")
_PLAIN = ("name", "design", "orientation", "locale", "logo_from", "logo")
_PARTS = ("name", "role", "picture")
_Text = Annotated[str, Meta(max_length=2000, extra_json_schema=STORABLE)]
say(
    unknown_placeholder=N_("One of the placeholders does not exist. Use only those in the list."),
    too_little_contrast=N_("This color is too light for white paper. Choose a darker one."),
    picture_not_an_image=N_("Choose an image in PNG, JPEG or WebP."),
    picture_too_large=N_("Choose an image of up to 1 MB and 4,000 pixels per side."),
    picture_missing=N_("Choose a logo image."),
    template_name_exists=N_("Another template already has this name. Enter a different one."),
)


class TemplateForm(Struct, frozen=True, kw_only=True):
    """The fields as sent; `read` validates them.

    `step` is the button that was used: `save` stores the template, `preview` only shows the form again, and
    `up_2` and `up_3` move that signatory one place to the left.
    """

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
    """Reads the uploaded images, by field name. Runs before the transaction fields."""
    images = {}
    uploads = {"logo": form.logo_file} | {f"signer_{n}_picture": _get_file(form, n) for n in SIGNERS}
    for field, upload in uploads.items():
        if upload is not None and upload.size:
            kind: pictures.Kind = "logo" if field == "logo" else "signature"
            file_field = field.replace("_picture", "_file") if field != "logo" else "logo_file"
            images[field] = await asyncio.to_thread(
                pictures.read, upload.path, upload.size, kind, field=file_field
            )
    return images


def _get_file(form: TemplateForm, number: int) -> UploadedFile | None:
    upload: UploadedFile | None = getattr(form, f"signer_{number}_file")
    return upload


def build_values(form: TemplateForm, uploads: Uploads) -> dict[str, str]:
    """The fields as text, with the names of uploaded images and the signatories in their new order."""
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
    """Builds the template. Raises Invalid with the names of the form's fields."""
    numbers = [n for n in SIGNERS if any(values.get(f"signer_{n}_{part}") for part in _PARTS)]
    has_own_colors = values.get("colours") == "own"
    raw: dict[str, Any] = {name: values[name] for name in _PLAIN if values.get(name)}
    raw |= {name: values[name] for name in ("colour", "accent") if has_own_colors and values.get(name)}
    raw["texts"] = {name: values.get(name, "") for name in TEXTS}
    raw["signatories"] = [_read_signer(values, n) for n in numbers]
    raw["syllabus"] = bool(values.get("syllabus"))
    if raw.get("logo_from") != "own":
        raw.pop("logo", None)
    try:
        return convert(NewTemplate, raw, today)
    except Invalid as error:
        raise Invalid(
            structs.replace(problem, field=_flatten(problem.field, numbers)) for problem in error.detail
        ) from None


def _read_signer(values: Mapping[str, str], number: int) -> dict[str, str]:
    signer = {part: values.get(f"signer_{number}_{part}", "") for part in _PARTS}
    return {part: text for part, text in signer.items() if text or part == "name"}


def _flatten(field: str, numbers: list[int]) -> str:
    """Converts `texts.body` to `body`, and `signatories.0.role` to `signer_1_role`."""
    first, *rest = field.split(".")
    if first == "texts" and rest:
        return rest[0]
    if first == "signatories" and len(rest) > 1:
        return f"signer_{numbers[int(rest[0])]}_{rest[1]}"
    return first


def build_patch(template: NewTemplate) -> TemplatePatch:
    """A patch that replaces every member."""
    return TemplatePatch(**structs.asdict(template))


def build_fields(template: Template | NewTemplate, language: Language = "en") -> dict[str, object]:
    """The form's fields for a template, with placeholders in this language."""
    fields: dict[str, object] = {name: getattr(template, name) or "" for name in _PLAIN}
    fields["colours"] = "own" if template.colour or template.accent else "usual"
    fields |= {"colour": template.colour or "#1f3a5f", "accent": template.accent or "#b08d3c"}
    texts = structs.asdict(template.texts)
    fields |= {name: rules.display_placeholders(text, language) for name, text in texts.items()}
    fields["syllabus"] = "true" if template.syllabus else ""
    for number in SIGNERS:
        exists = number <= len(template.signatories)
        signer: Signer | None = template.signatories[number - 1] if exists else None
        fields[f"signer_{number}_name"] = signer.name if signer else ""
        role = rules.display_placeholders(signer.role, language) if signer else ""
        fields[f"signer_{number}_role"] = role
        fields[f"signer_{number}_picture"] = (signer.picture or "") if signer else ""
    return fields
