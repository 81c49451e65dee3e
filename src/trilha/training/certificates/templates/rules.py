"""The placeholders and colors that a template may use. No I/O, no clock."""

import difflib
import re
from collections.abc import Mapping
from typing import Literal

from trilha.kit.colours import contrast, hex_of, oklch_of, rgb_of, srgb
from trilha.people.users.words import search_text

MAX_SIGNATORIES = 3
PICTURE = re.compile(r"[0-9a-f]{32}\.png")
# Placeholders for the data of a certificate.
PLACEHOLDERS = (
    "name",
    "cpf",
    "course",
    "company",
    "workload",
    "score",
    "started_on",
    "completed_on",
    "issued_on",
    "valid_until",
    "code",
)
# What people call them in Portuguese. The first names are those of the editor.
PORTUGUESE = {
    "nome": "name",
    "cpf": "cpf",
    "curso": "course",
    "empresa": "company",
    "carga_horaria": "workload",
    "nota": "score",
    "inicio": "started_on",
    "conclusao": "completed_on",
    "data": "issued_on",
    "validade": "valid_until",
    "codigo": "code",
}
_NAMES = {
    **{name: name for name in PLACEHOLDERS},
    **PORTUGUESE,
    "aluno": "name",
    "titulo": "course",
    "duracao": "workload",
    "horas": "workload",
    "hours": "workload",
    "data_de_inicio": "started_on",
    "data_inicio": "started_on",
    "start_date": "started_on",
    "data_de_conclusao": "completed_on",
    "data_conclusao": "completed_on",
    "grade": "score",
    "completion_date": "completed_on",
    "data_de_emissao": "issued_on",
    "data_emissao": "issued_on",
    "emissao": "issued_on",
    "date": "issued_on",
    "issue_date": "issued_on",
    "holder": "name",
    "data_de_validade": "valid_until",
    "valido_ate": "valid_until",
    "expires_on": "valid_until",
    "codigo_de_verificacao": "code",
    "verification_code": "code",
    "empregador": "company",
}
_PLACEHOLDER = re.compile(r"\{\{\s*([^{}]*?)\s*\}\}")
# Written with one pair of braces or with two.
_IN_BRACES = re.compile(r"\{\{\s*([^{}]*?)\s*\}\}|\{\s*([^{}]*?)\s*\}")
Language = Literal["pt-BR", "en"]
_IN_PORTUGUESE = {name: word for word, name in PORTUGUESE.items()}
# WCAG 2.2 AA, for text in this color on white, and for white text on it.
CONTRAST = 4.5
# For lines and ornaments (WCAG 2.2, non-text contrast), if they carry meaning.
ORNAMENT_CONTRAST = 1.6
_WHITE = (1.0, 1.0, 1.0)


def unknown_placeholders(text: str) -> list[str]:
    return [name for name in _PLACEHOLDER.findall(text) if name not in PLACEHOLDERS]


def normalize_placeholders(text: str) -> str:
    """Writes the known placeholders of either language as they are stored: `{nota}` as `{{score}}`."""
    return _IN_BRACES.sub(_normalize, text)


def _normalize(match: re.Match[str]) -> str:
    name = _NAMES.get(_key_of(match[1] or match[2] or ""))
    return f"{{{{{name}}}}}" if name else match[0]


def list_unknown(text: str) -> list[str]:
    """Returns the names in braces that mean no placeholder, in either spelling."""
    names = [match[1] or match[2] or "" for match in _IN_BRACES.finditer(text)]
    return [name for name in names if _key_of(name) not in _NAMES]


def find_nearest(name: str, language: Language) -> str:
    """Returns the placeholder that was probably meant, as the editor writes it, or an empty text."""
    close = difflib.get_close_matches(_key_of(name)[:40], _NAMES, n=1, cutoff=0.6)
    return display_name(_NAMES[close[0]], language) if close else ""


def display_name(name: str, language: Language) -> str:
    """Returns the name of a placeholder in this language."""
    return _IN_PORTUGUESE[name] if language == "pt-BR" else name


def display_placeholders(text: str, language: Language) -> str:
    """Writes the stored placeholders as the editor shows them: `{{score}}` as `{nota}`."""
    return _PLACEHOLDER.sub(
        lambda match: f"{{{display_name(match[1], language)}}}" if match[1] in PLACEHOLDERS else match[0],
        text,
    )


def _key_of(name: str) -> str:
    return re.sub(r"[\s-]+", "_", search_text(name.strip()))


def fill_placeholders(text: str, values: Mapping[str, str]) -> str:
    """Replaces each placeholder by its value. Placeholders inside values are not replaced."""
    return _PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), text)


def contrast_on_white(colour: str) -> float:
    return contrast(rgb_of(colour), _WHITE)


def readable(colour: str) -> str:
    """Darkens the color until it is readable on white."""
    shade = oklch_of(rgb_of(colour))
    shown = colour
    while contrast_on_white(shown) < CONTRAST and shade.lightness > 0:
        shade = shade._replace(lightness=max(shade.lightness - 0.02, 0))
        shown = hex_of(srgb(shade))
    return shown
