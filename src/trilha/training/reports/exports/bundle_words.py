"""The words of an inspector's bundle in both languages: names of folders and files, and heads of tables."""

from typing import Literal

from msgspec import Struct


class BundleWords(Struct, frozen=True, kw_only=True):
    """`index` to `questions` are heads of tables; `readme` is filled with the scope and the limits."""

    certificates: str
    projects: str
    attendance: str
    scans: str
    signatures: str
    checklists: str
    photos: str
    qualifications: str
    version: str
    list_title: str
    course: str
    class_title: str
    session: str
    room: str
    instructors: str
    name: str
    minutes: str
    signed_by_instructors: str
    methods: dict[str, str]
    heads: dict[str, tuple[str, ...]]
    tables: dict[str, str]
    not_rendered: str
    missing: str
    not_printed: str
    left_out: str
    readme: str


_EN = BundleWords(
    certificates="certificates",
    projects="pedagogic projects",
    attendance="attendance",
    scans="scans",
    signatures="signatures",
    checklists="checklists",
    photos="photos",
    qualifications="qualifications",
    version="version",
    list_title="Attendance",
    course="Course",
    class_title="Class",
    session="Session",
    room="Room",
    instructors="Instructors",
    name="Name",
    minutes="Minutes",
    signed_by_instructors="Signatures of the instructors",
    methods={"LIST": "list", "QR": "QR code", "SIGNATURE": "signature"},
    heads={
        "index": ("File", "Part", "About", "SHA-256", "Bytes", "Note"),
        "attendance": ("Session", "Class", "Course", "Person", "CPF", "Minutes", "Method", "Recorded at"),
        "checklists": (
            *("Person", "Course", "Module", "Attempt", "Assessed on", "Result", "Annulled at", "Assessor"),
            *("Qualification", "Issued by", "Register number", "Valid until", "Item", "Criteria", "Rating"),
            *("Note", "Photo (SHA-256)", "Signed by the assessor at", "Signed by the learner at"),
            "Digest of what was signed",
        ),
        "qualifications": (
            *("Person", "Qualification", "Issued by", "Register number", "Valid from", "Valid until"),
            "Document",
        ),
        "questions": (
            *("Asked at", "Person", "Course", "State", "First answer at", "Closed at", "Messages"),
        ),
    },
    tables={
        "index": "index.csv",
        "attendance": "attendance.csv",
        "checklists": "checklists.csv",
        "qualifications": "qualifications.csv",
        "questions": "questions.csv",
        "readme": "read me.txt",
    },
    not_rendered="has no PDF yet",
    missing="its file was deleted",
    not_printed="could not be typeset",
    left_out="more than 1,000 exist: choose a shorter time",
    readme=(
        "{company}: papers for an inspection, as they were at {made}.\n\n"
        "{scope}\n\n"
        "index.csv lists each file with its SHA-256, and what is missing and why. Files that were erased"
        " after their retention are not here.\n"
    ),
)
_PT = BundleWords(
    certificates="certificados",
    projects="projetos pedagógicos",
    attendance="presença",
    scans="listas digitalizadas",
    signatures="assinaturas",
    checklists="avaliações práticas",
    photos="fotos",
    qualifications="qualificações",
    version="versão",
    list_title="Lista de presença",
    course="Curso",
    class_title="Turma",
    session="Encontro",
    room="Local",
    instructors="Instrutores",
    name="Nome",
    minutes="Minutos",
    signed_by_instructors="Assinaturas dos instrutores",
    methods={"LIST": "lista", "QR": "QR code", "SIGNATURE": "assinatura"},
    heads={
        "index": ("Arquivo", "Parte", "Sobre", "SHA-256", "Bytes", "Observação"),
        "attendance": ("Encontro", "Turma", "Curso", "Pessoa", "CPF", "Minutos", "Forma", "Registrado em"),
        "checklists": (
            *("Pessoa", "Curso", "Módulo", "Tentativa", "Avaliado em", "Resultado", "Anulado em"),
            *("Avaliador(a)", "Qualificação", "Emitida por", "Número de registro", "Válida até", "Item"),
            *("Critérios", "Avaliação", "Observação", "Foto (SHA-256)", "Assinado pelo avaliador em"),
            *("Assinado pelo aluno em", "Resumo do que foi assinado"),
        ),
        "qualifications": (
            *("Pessoa", "Qualificação", "Emitida por", "Número de registro", "Válida desde", "Válida até"),
            "Documento",
        ),
        "questions": (
            *("Perguntado em", "Pessoa", "Curso", "Situação", "Primeira resposta em", "Encerrada em"),
            "Mensagens",
        ),
    },
    tables={
        "index": "índice.csv",
        "attendance": "presença.csv",
        "checklists": "avaliações práticas.csv",
        "qualifications": "qualificações.csv",
        "questions": "perguntas.csv",
        "readme": "leia-me.txt",
    },
    not_rendered="ainda não tem PDF",
    missing="o arquivo foi apagado",
    not_printed="não foi possível diagramar",
    left_out="há mais de 1.000: escolha um período menor",
    readme=(
        "{company}: documentos para fiscalização, como estavam em {made}.\n\n"
        "{scope}\n\n"
        "O índice traz cada arquivo com seu SHA-256, e o que falta e por quê. Arquivos apagados ao fim do"
        " prazo de guarda não estão aqui.\n"
    ),
)
WORDS: dict[Literal["en", "pt-BR"], BundleWords] = {"en": _EN, "pt-BR": _PT}
