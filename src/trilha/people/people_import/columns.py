"""Maps the columns of a file to members of a person."""

import re
from collections.abc import Mapping, Sequence

from trilha.core.errors import invalid
from trilha.people.custom_fields.schema import CustomField
from trilha.people.custom_fields.values import PREFIX
from trilha.people.users.words import search_text

# Headers that HR systems use for each member: lower case, without accents or punctuation.
NAMES: Mapping[str, tuple[str, ...]] = {
    "email": (
        *("email", "mail", "emailaddress", "enderecodeemail", "correioeletronico", "emailcorporativo"),
        *("workemail", "login", "usuario", "username"),
    ),
    "name": (
        "name",
        "fullname",
        "nome",
        "nomecompleto",
        "colaborador",
        "funcionario",
        "employee",
        "employeename",
    ),
    "role": ("role", "papel", "perfil"),
    "department": ("department", "departamento", "area", "setor"),
    "job_title": ("jobtitle", "title", "position", "cargo", "funcao"),
    "business_unit": (
        *("businessunit", "unit", "unidade", "unidadedenegocio", "filial", "branch", "codigodaunidade"),
        *("businessunitcode", "unitcode", "businessunitname", "nomedaunidade", "lotacao", "loja"),
    ),
    "employee_number": (
        *("employeenumber", "employeeid", "matricula", "registro", "registration", "numerodematricula"),
        *("codigodocolaborador", "badge", "matr", "chapa", "numeroderegistro", "registrodeempregado", "re"),
    ),
    "hire_date": (
        *("hiredate", "dateofhire", "startdate", "admissiondate", "datadeadmissao", "dataadmissao"),
        *("admissao", "dtadmissao", "dtadm", "datadecontratacao", "contratacao"),
    ),
    "cpf": ("cpf", "numerodocpf", "cpfnumber"),
    "phone": (
        *("phone", "phonenumber", "mobile", "cellphone", "telefone", "celular", "fone", "tel", "cel"),
        *("telefonecelular", "whatsapp"),
    ),
    "birth_date": (
        "birthdate",
        "dateofbirth",
        "birthday",
        "datadenascimento",
        "nascimento",
        "datanascimento",
        *("dtnascimento", "dtnasc", "datanasc", "nasc"),
    ),
    "cnh_number": ("cnh", "cnhnumero", "numerodacnh", "cnhnumber", "driverlicense", "driverslicense"),
    "cnh_category": ("cnhcategoria", "categoriacnh", "categoriadacnh", "cnhcategory"),
    "cnh_expiry": ("cnhvalidade", "validadecnh", "validadedacnh", "cnhexpiry", "cnhexpiration"),
    "cnh_ear": ("ear", "cnhear", "exerceatividaderemunerada"),
    "password": ("password", "senha", "initialpassword", "senhainicial"),
}
# Words that say whose value it is, not which: "Nome do colaborador" means the name.
_WHOSE = {
    *("a", "o", "da", "do", "de", "the", "of", "n", "no", "numero", "completo", "completa", "corporativo"),
    *("colaborador", "colaboradora", "funcionario", "empregado", "pessoa", "employee", "person", "pessoal"),
}
# What HR systems call a person's superior, whom no member of a person names.
_MANAGERS = {
    *(
        "gestor",
        "gestora",
        "gestorimediato",
        "gerente",
        "coordenador",
        "supervisor",
        "lider",
        "liderimediato",
    ),
    *("chefe", "chefia", "superior", "superiorimediato", "manager", "managername", "nomegestor"),
}
# Only this many characters of a header are read; all known headers are shorter.
_LONGEST_HEADER = 200
# A header `custom_fields.KEY` means the custom field with this key.
_CUSTOM_FIELD = re.compile(rf"{re.escape(PREFIX)}[^\s.]{{1,40}}", re.IGNORECASE)
# What separates a second name, or a remark, from a header's first name.
_OTHER_NAMES = re.compile(r"[/(|,:;*]|\sou\s|\sor\s")
_MEMBERS = {name: member for member, names in NAMES.items() for name in names}


def guess(headers: Sequence[str], fields: Sequence[CustomField] = ()) -> dict[str, str]:
    """Maps known headers, and the names of custom fields, to members. If two headers mean the same member,
    the first counts.

    Exact matches come before headers that match only without their possessive words, and these before
    headers that give two names, such as "Matrícula/Número de registro".
    """
    mapping: dict[str, str] = {}
    known = {_exactly(field.name): f"{PREFIX}{field.key}" for field in reversed(fields)} | _MEMBERS
    for normalize_header in (_exactly, _without_whose, _first_name):
        for header in headers:
            member = _name_of_custom_field(header) or known.get(normalize_header(header))
            if member and member not in mapping.values() and header not in mapping:
                mapping[header] = member
    return mapping


def names_managers(header: str) -> bool:
    """Returns whether a column has the managers of people."""
    return _exactly(header) in _MANAGERS or _without_whose(header) in _MANAGERS


def choose_header(field: CustomField) -> str:
    """Returns the header that means this custom field: its name, if no other column is called so."""
    member = f"{PREFIX}{field.key}"
    return field.name if guess([field.name], [field]) == {field.name: member} else member


def _name_of_custom_field(header: str) -> str | None:
    return header.lower() if _CUSTOM_FIELD.fullmatch(header) else None


def _exactly(header: str) -> str:
    return re.sub(r"[^a-z0-9]", "", search_text(header[:_LONGEST_HEADER]))


def _without_whose(header: str) -> str:
    words = re.findall(r"[a-z0-9]+", search_text(header[:_LONGEST_HEADER]))
    return "".join(word for word in words if word not in _WHOSE)


def _first_name(header: str) -> str:
    return _without_whose(_OTHER_NAMES.split(header[:_LONGEST_HEADER].strip(), maxsplit=1)[0])


def check(mapping: Mapping[str, str], headers: Sequence[str]) -> dict[str, str]:
    """Returns the mapping without the headers that map to nothing. Raises Invalid."""
    mapped = {header: member for header, member in mapping.items() if member}
    for header, member in mapped.items():
        if header not in headers:
            raise invalid("mapping", "unknown_header")
        if member not in NAMES and not _name_of_custom_field(member):
            raise invalid("mapping", "invalid_value")
    if len(set(mapped.values())) < len(mapped):
        raise invalid("mapping", "invalid_value")
    return mapped
