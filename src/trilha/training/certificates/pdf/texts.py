"""The built-in wording of certificates, by language."""

from msgspec import Struct

from trilha.kit.page import Locale


class Words(Struct, frozen=True, kw_only=True):
    language: str
    region: str | None
    day: str  # Babel's pattern of a date in a sentence,
    short_day: str  # and of one in a table
    title: str
    intro: str
    body: str
    workload: str
    score: str
    period: str
    completed: str
    valid_until: str
    syllabus: str
    cpf: str
    issued: str
    verify: str
    evidence: str
    qr: str
    signature: str
    document: str
    no_name: str
    hours: tuple[str, str]
    minutes: tuple[str, str]
    regulation: dict[str, str]
    record: str
    workloads: str
    kinds: dict[tuple[str, str], str]
    total: str
    sessions: str
    online: str
    instructors: str
    project: str
    version: str
    holder_signs: str
    signed_by_hand: str
    signed_by_passkey: str
    responsible_signs: str


WORDS: dict[Locale, Words] = {
    "pt-BR": Words(
        language="pt",
        region="BR",
        day="d 'de' MMMM 'de' y",
        short_day="dd/MM/y",
        title="Certificado",
        intro="Certificamos que",
        body="concluiu com êxito o curso",
        workload="Carga horária",
        score="Aproveitamento",
        period="Período",
        completed="Conclusão",
        valid_until="Válido até",
        syllabus="Conteúdo programático",
        cpf="CPF {}",
        issued="Emitido por {company} em {day}.",
        verify="Confira a autenticidade em",
        evidence="Registro de evidências nº {number} · {hash}",
        qr="Código QR que leva à página de verificação",
        signature="Assinatura de",
        document="Certificado de {name}: {course}",
        no_name="—",
        hours=("{} hora", "{} horas"),
        minutes=("{} minuto", "{} minutos"),
        regulation={
            "traffic": "Curso regulamentado: trânsito.",
            "occupational_safety": "Curso regulamentado: segurança e saúde no trabalho.",
            "finance": "Curso regulamentado: mercado financeiro.",
            "other": "Curso regulamentado.",
        },
        record="Registro do treinamento",
        workloads="Carga horária por natureza",
        kinds={
            ("THEORY", "DISTANCE"): "Teoria a distância",
            ("THEORY", "IN_PERSON"): "Teoria presencial",
            ("PRACTICE", "DISTANCE"): "Prática a distância",
            ("PRACTICE", "IN_PERSON"): "Prática presencial",
        },
        total="Total",
        sessions="Aulas: data e local",
        online="por videochamada",
        instructors="Instrutores",
        project="Projeto pedagógico",
        version="versão {}",
        holder_signs="Trabalhador(a)",
        signed_by_hand="assinado na tela em {day}",
        signed_by_passkey="assinado com chave de acesso em {day}",
        responsible_signs="Responsável técnico(a)",
    ),
    "en": Words(
        language="en",
        region=None,
        day="MMMM d, y",
        short_day="MMM d, y",
        title="Certificate",
        intro="This is to certify that",
        body="has successfully completed the course",
        workload="Workload",
        score="Score",
        period="Period",
        completed="Completed",
        valid_until="Valid until",
        syllabus="Syllabus",
        cpf="CPF {}",
        issued="Issued by {company} on {day}.",
        verify="Verify it at",
        evidence="Record of evidence no. {number} · {hash}",
        qr="QR code to the page that verifies it",
        signature="Signature of",
        document="Certificate of {name}: {course}",
        no_name="—",
        hours=("{} hour", "{} hours"),
        minutes=("{} minute", "{} minutes"),
        regulation={
            "traffic": "Regulated course: traffic.",
            "occupational_safety": "Regulated course: occupational safety and health.",
            "finance": "Regulated course: financial market.",
            "other": "Regulated course.",
        },
        record="Training record",
        workloads="Workload by kind",
        kinds={
            ("THEORY", "DISTANCE"): "Theory online",
            ("THEORY", "IN_PERSON"): "Theory in person",
            ("PRACTICE", "DISTANCE"): "Practice online",
            ("PRACTICE", "IN_PERSON"): "Practice in person",
        },
        total="Total",
        sessions="Sessions: date and place",
        online="by video call",
        instructors="Instructors",
        project="Pedagogic project",
        version="version {}",
        holder_signs="Worker",
        signed_by_hand="signed on screen on {day}",
        signed_by_passkey="signed with a passkey on {day}",
        responsible_signs="Technical responsible",
    ),
}
