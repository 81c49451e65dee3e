"""The courses of the demo's company."""

from typing import Any, Literal

from msgspec import Struct

Audience = Literal["everybody", "drivers", "logistics", "workshop", "office"]


class Taught(Struct, frozen=True):
    """A course and how people take it. `days` is the time until an enrollment's due date, or None.

    `instructor` is the number of its instructor; `share` is the part of the audience that takes it.
    """

    raw: dict[str, Any]
    audience: Audience
    days: int | None
    share: float
    instructor: int | None = None
    published: bool = True


def _course(title: str, slug: str, hours: float, *modules: str, **members: Any) -> dict[str, Any]:
    minutes = int(hours * 60 / len(modules))
    return {
        "title": title,
        "slug": slug,
        "duration_hours": hours,
        "modules": [
            {"title": each, "duration_minutes": minutes, "body": f"{each}: o que saber e o que fazer."}
            for each in modules
        ],
        **members,
    }


def _traffic(minutes: int) -> dict[str, Any]:
    return {
        "category": "Cursos regulamentados",
        "certificate_validity_months": 60,
        "regulation": {
            "kind": "traffic",
            "minimum_workload_minutes": minutes,
            "minimum_score": 70,
            "sequential": True,
        },
    }


def _safety(months: int) -> dict[str, Any]:
    return {
        "category": "Saúde e segurança",
        "certificate_validity_months": months,
        "regulation": {
            "kind": "occupational_safety",
            "minimum_workload_minutes": 480,
            "minimum_score": 70,
            "required_profile_fields": ["cpf"],
        },
    }


COURSES = (
    Taught(
        _course(
            *("Direção defensiva para motoristas profissionais", "direcao-defensiva", 8),
            *("Condições adversas", "Distância de segurança", "Legislação"),
            description="Prevenção de acidentes, condições adversas e legislação de trânsito.",
            difficulty="INTERMEDIATE",
            tags=["trânsito", "segurança"],
            **_traffic(480),
        ),
        *("drivers", 60, 0.95, 0),
    ),
    Taught(
        _course(
            *("Transporte de produtos perigosos (MOPP)", "mopp", 50),
            *("Legislação específica", "Prevenção de incêndio", "Movimentação", "Primeiros socorros"),
            description="Formação exigida de quem conduz carga perigosa.",
            difficulty="ADVANCED",
            tags=["trânsito", "carga perigosa"],
            **_traffic(3000),
        ),
        *("drivers", 90, 0.4, 0),
    ),
    Taught(
        _course(
            *("Boas-vindas à Transportes Aurora", "boas-vindas", 1.5, "Nossa história", "Código de conduta"),
            description="Quem somos, como trabalhamos e com quem falar.",
            difficulty="BEGINNER",
            tags=["integração"],
        ),
        *("everybody", None, 1.0),
    ),
    Taught(
        _course(
            *("NR-35 Trabalho em altura", "nr-35", 8, "Riscos", "Equipamentos", "Resgate"),
            description="Para quem trabalha acima de dois metros.",
            tags=["segurança", "NR"],
            self_enrollment="APPROVAL",
            **_safety(24),
        ),
        *("workshop", 45, 0.9, 1),
    ),
    Taught(
        _course(
            *("NR-11 Operação de empilhadeira", "nr-11", 16, "A máquina", "Carga e descarga", "Avaliação"),
            description="Habilita a operar empilhadeiras.",
            tags=["segurança", "NR"],
            **_safety(12),
        ),
        *("logistics", 45, 0.7, 1),
    ),
    Taught(
        _course(
            *("Prevenção e combate a incêndio", "incendio", 4, "Classes de fogo", "Extintores"),
            description="O que fazer nos primeiros minutos.",
            tags=["segurança"],
            category="Saúde e segurança",
            self_enrollment="OPEN",
        ),
        *("everybody", 60, 0.45, 1),
    ),
    Taught(
        _course(
            *("LGPD para todos", "lgpd", 2, "Dados pessoais", "No dia a dia"),
            description="Como cuidar dos dados de clientes e colegas.",
            difficulty="BEGINNER",
            tags=["conformidade"],
            category="Conformidade",
            self_enrollment="OPEN",
        ),
        *("everybody", 30, 0.6),
    ),
    Taught(
        _course(
            *("Direção econômica", "direcao-economica", 4, "Marcha e rotação", "Pneus", "Planejamento"),
            description="Menos combustível, menos desgaste.",
            tags=["trânsito"],
            self_enrollment="APPROVAL",
        ),
        *("drivers", None, 0.5, 0),
    ),
    Taught(
        _course(
            *("Excel para operações", "excel", 6, "Planilhas", "Tabelas dinâmicas"),
            description="Planilhas para quem programa rotas e confere notas.",
            tags=["escritório"],
            self_enrollment="OPEN",
        ),
        *("office", None, 0.8),
    ),
    Taught(
        _course(
            *("Liderança na operação", "lideranca", 12, "Escutar", "Decidir", "Acompanhar"),
            description="Ainda em preparação.",
            tags=["liderança"],
        ),
        *("office", None, 0.0),
        published=False,
    ),
)
