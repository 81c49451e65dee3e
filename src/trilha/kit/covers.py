"""Draws the cover of a course or learning path that has no picture: a quiet pattern around a mark.

A title always has the same cover. The drawing has no colors of its own: the style sheet gives it those of the
tenant, by day and by night.
"""

import hashlib
import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from markupsafe import Markup, escape

from trilha.kit.icons import shapes_of

WIDTH, HEIGHT = 320, 180
TONES = 4
_CACHE_SIZE = 4096
# The icon of a subject, by how its words begin in a title without accents.
_SUBJECTS: tuple[tuple[str, str], ...] = (
    ("integracao|boas-vindas|onboarding|welcome", "rocket"),
    ("incendi|brigad|fire", "flame"),
    ("eletric|electric", "zap"),
    ("primeiros socorros|first aid|emergenc", "heart-pulse"),
    ("ergonom|acessib|accessib|inclus", "accessibility"),
    ("biosseg|quimic|chemic|residuo|waste", "flask-conical"),
    ("empilhadeira|forklift", "forklift"),
    ("direcao|transit|driving|motorista|frota", "car"),
    ("logist|entrega|deliver|transport", "truck"),
    ("estoque|almoxarif|warehouse|inventory|embalag", "package"),
    ("altura|capacete|obra|construc|epi|height|safety at work|seguranca do trabalho", "hard-hat"),
    ("lgpd|privac|dados pessoais|gdpr|sigilo", "lock-keyhole"),
    ("seguranca|security|ciber|cyber|phishing", "shield-check"),
    ("assedio|harass|conduta|conduct|etica|ethic|compliance|anticorrup", "scale"),
    ("lideranc|leader|gestao de pessoas|management|equipe|team", "users"),
    ("vendas|sales|negocia|negotiat|cliente|customer", "handshake"),
    ("atendimento|suporte|support|call center", "headphones"),
    ("marketing|comunica|communicat", "megaphone"),
    ("apresenta|presentation|oratoria|fala", "presentation"),
    ("excel|planilha|spreadsheet|dados|data", "table-2"),
    ("financ|contab|fiscal|tribut|account|tax", "calculator"),
    ("program|software|python|codigo|coding", "code-xml"),
    ("inteligencia artificial|artificial intelligence|automac", "bot"),
    ("ingles|english|espanhol|spanish|idioma|libras|language", "languages"),
    ("meio ambiente|ambiental|sustentab|environment|esg", "leaf"),
    ("recicla|recycl", "recycle"),
    ("aliment|cozinha|food|kitchen", "chef-hat"),
    ("saude|health|hospital|enferm|clinic", "stethoscope"),
    ("qualidade|producao|fabrica|quality|factory|manufact", "factory"),
    ("maquin|manutenc|machine|maintenance", "cog"),
    ("produtiv|tempo|time management", "clock"),
    ("bem-estar|mental|wellbeing", "brain"),
)
_ICONS = tuple((re.compile(rf"\b(?:{words})"), icon) for words, icon in _SUBJECTS)
# "NR-35", "ISO 27001", "5S".
_CODE = re.compile(r"\b(?:[A-Z]{2,4}[- ]?\d{1,5}[A-Z]?|\d[A-Z])\b")
_LETTERS = re.compile(r"\b[A-Z]{2,5}\b")
_SMALL_WORDS = re.compile("[aeo]|[ao]s|d[aeo]s?|n[ao]s?|em|para|por|com|uma?|the|of|and|for|to|in|on|an")
_FONT_SIZES = {1: 88, 2: 76, 3: 66, 4: 60, 5: 56, 6: 50, 7: 44, 8: 40}


@lru_cache(_CACHE_SIZE)
def draw(title: str, sign: str = "", *, small: bool = False) -> Markup:
    """Draws a cover. `sign` is the icon for titles whose subject we do not know; without it, they have their
    initials. A small cover has no pattern.
    """
    digest = hashlib.sha256(title.strip().casefold().encode()).digest()
    pattern = "" if small else _PATTERNS[digest[0] % len(_PATTERNS)](digest[2:])
    drawn = (
        f'<svg class="cover" viewBox="0 0 {WIDTH} {HEIGHT}" preserveAspectRatio="xMidYMid slice"'
        f' aria-hidden="true" data-tone="{digest[1] % TONES + 1}">'
        f'<rect class="cover__ground" width="{WIDTH}" height="{HEIGHT}"/>'
        f"{pattern}{_mark(title, sign, 1.4 if small else 1)}</svg>"
    )
    return Markup(drawn)  # noqa: S704 - the only text of others in it, the initials, is escaped


def _mark(title: str, sign: str, scale: float) -> str:
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode()
    is_shouted = title == title.upper() and " " in title
    if code := _CODE.search(title):
        return _text(code[0], scale)
    if name := next((icon for words, icon in _ICONS if words.search(plain.lower())), sign):
        return _icon(name, scale)
    if not is_shouted and (letters := _LETTERS.search(title)):
        return _text(letters[0], scale)
    words = [word for word in re.findall(r"[^\W_]+", title) if not _SMALL_WORDS.fullmatch(word.lower())]
    initials = "".join(word[0] for word in words[:2]).upper()
    return _text(initials, scale) if initials else _icon("book-open", scale)


def _icon(name: str, scale: float) -> str:
    side = round(80 * scale)
    corner = f"{WIDTH // 2 - side // 2} {HEIGHT // 2 - side // 2}"
    return (
        f'<g class="cover__sign" transform="translate({corner}) scale({side / 24:.4g})">{shapes_of(name)}</g>'
    )


def _text(letters: str, scale: float) -> str:
    size = round(_FONT_SIZES.get(len(letters), 36) * scale)
    return (
        f'<text class="cover__letters" x="{WIDTH // 2}" y="{HEIGHT // 2}" font-size="{size}"'
        f' text-anchor="middle" dominant-baseline="central">{escape(letters)}</text>'
    )


def _group(shapes: Iterable[str], kind: str = "shapes") -> str:
    return f'<g class="cover__{kind}">{"".join(shapes)}</g>'


def _corner(digest: bytes) -> tuple[int, int]:
    return (digest[0] & 1) * WIDTH, (digest[0] >> 1 & 1) * HEIGHT


def _rings(digest: bytes) -> str:
    x, y = _corner(digest)
    return _group((f'<circle cx="{x}" cy="{y}" r="{r}"/>' for r in range(44, 220, 36)), "lines")


def _circles(digest: bytes) -> str:
    spots = ((-20, 15), (300, 135), (70, 175), (230, -25))
    return _group(
        f'<circle cx="{x + digest[n] % 40}" cy="{y + digest[n + 4] % 30}" r="{52 + digest[n + 8] % 40}"/>'
        for n, (x, y) in enumerate(spots)
    )


def _bands(digest: bytes) -> str:
    lean = 90 if digest[0] & 1 else -90
    begin = digest[1] % 40 - 60
    return _group(
        f'<path d="M{x} 0h36l{lean} {HEIGHT}h-36z"/>'
        for x in range(begin, WIDTH + 120, 84)
        if not 100 < x < 180
    )


def _dots(digest: bytes) -> str:
    x, y = _corner(digest)
    far = math.hypot(WIDTH, HEIGHT)
    spots = ((16 + 32 * column, 10 + 32 * row) for row in range(6) for column in range(10))
    return _group(
        f'<circle cx="{cx}" cy="{cy}" r="{12 * (1 - math.hypot(cx - x, cy - y) / far) ** 1.6:.1f}"/>'
        for cx, cy in spots
        if math.hypot(cx - x, cy - y) < 0.72 * far
    )


def _tiles(digest: bytes) -> str:
    """Quarters of a circle in tiles, at the left and right."""
    side = 60
    arcs = (
        "M0 0h60a60 60 0 0 1-60 60z",
        "M60 0v60a60 60 0 0 1-60-60z",
        "M60 60h-60a60 60 0 0 1 60-60z",
        "M0 60v-60a60 60 0 0 1 60 60z",
    )
    spots = [(x, y) for x in (-20, 40, 220, 280) for y in range(0, HEIGHT, side)]
    return _group(
        f'<path transform="translate({x} {y})" d="{arcs[digest[n] % 4]}"/>'
        for n, (x, y) in enumerate(spots)
        if digest[n] >> 2 & 3
    )


def _peaks(digest: bytes) -> str:
    def range_of(base: int, first: int) -> str:
        tops = [
            f"{x} {base - digest[first + n] % 60 if n % 2 else base + digest[first + n] % 30 - 10}"
            for n, x in enumerate(range(-20, WIDTH + 60, 48))
        ]
        return f'<path d="M-20 {HEIGHT}L{"L".join(tops)}V{HEIGHT}z"/>'

    return _group((range_of(110, 0), range_of(150, 9)))


def _waves(digest: bytes) -> str:
    def wave(n: int) -> str:
        middle, swing = 70 + 40 * n, 18 + digest[n] % 26
        high, low = (middle - swing, middle + swing) if digest[n] & 1 else (middle + swing, middle - swing)
        first, second = 60 + digest[n + 3] % 60, 110 + digest[n + 6] % 60
        curves = f"M0 {middle}C{first} {high} {second} {low} 200 {middle}S290 {high} {WIDTH} {middle}"
        return f'<path d="{curves}V{HEIGHT}H0z"/>'

    return _group(map(wave, range(3)))


def _contours(digest: bytes) -> str:
    """Contour lines of a map around a hill."""
    x, y = _corner(digest)
    turn, twist = digest[1] / 40, digest[2] / 40

    def line(radius: int) -> str:
        points = []
        for step in range(12):
            angle = math.tau * step / 12
            reach = radius * (1 + 0.16 * math.sin(2 * angle + turn) + 0.1 * math.sin(3 * angle + twist))
            points.append((x + 1.25 * reach * math.cos(angle), y + reach * math.sin(angle)))
        return f'<path d="{_curve_through(points)}"/>'

    return _group(map(line, range(36, 210, 28)), "lines")


def _curve_through(points: Sequence[tuple[float, float]]) -> str:
    between = [
        ((x + a) / 2, (y + b) / 2) for (x, y), (a, b) in zip(points, (*points[1:], points[0]), strict=True)
    ]
    curves = (
        f"Q{x:.0f} {y:.0f} {a:.0f} {b:.0f}"
        for (x, y), (a, b) in zip((*points[1:], points[0]), (*between[1:], between[0]), strict=True)
    )
    return f"M{between[0][0]:.0f} {between[0][1]:.0f}{''.join(curves)}z"


_PATTERNS: tuple[Callable[[bytes], str], ...] = (
    _rings,
    _circles,
    _bands,
    _dots,
    _tiles,
    _peaks,
    _waves,
    _contours,
)
