"""Passwords that attackers try first: those that many people choose, and names of the person or company.

NIST SP 800-63B (section 3.1.1.2) asks for a list of common, expected and compromised passwords. The list of
leaked passwords is that of zxcvbn; it has few in Portuguese, which are listed here.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import cache

# With digits and signs around them, these words are as common as without.
_WORDS = frozenset(
    """
    senha minhasenha senhas mudar mudarsenha trocar trocarsenha alterar acesso brasil flamengo corinthians
    palmeiras saopaulo vasco gremio internacional cruzeiro atletico santos botafogo fluminense bahia jesus
    jesuscristo deus deusefiel familia amor meuamor teamo euteamo felicidade vitoria princesa empresa
    trabalho usuario administrador aluno aluna curso cursos treinamento trilha bemvindo bomdia teste
    testeteste qualquer password passwords passw mypassword changeme change welcome admin administrator
    letmein login user username qwerty qwertyuiop asdfgh asdfghjkl zxcvbn abc abcd abcdef company training
    course learner test testing secret summer winter spring autumn primavera verao inverno outono janeiro
    dezembro segunda sexta
    """.split()  # noqa: SIM905
)
_FROM_LETTER_TO_LETTER = re.compile(r"[^\W\d_](?:.*[^\W\d_])?", re.DOTALL)
_LOOK_ALIKES = str.maketrans("@4031$5!", "aaoeissi")
# Shorter words of a name are in too many good passwords.
_MIN_WORD_LENGTH = 4
_FEW_CHARACTERS = 2
_LONGEST = 512


def is_common(password: str) -> bool:
    """Returns whether many people choose this password, perhaps with digits around a word."""
    plain = _simplify(password)
    return (
        plain in _load_common_passwords()
        or len(set(plain)) <= _FEW_CHARACTERS
        or plain in _list_keyboard_runs()
        or _is_common_word(plain)
    )


def is_name(password: str, names: Iterable[str]) -> bool:
    """Returns whether the password is one of these names or e-mail addresses, or a word of one, with nothing
    but digits and signs added.
    """
    core = _join(_strip(_simplify(password)))
    return core in {word for name in names for word in _list_words(_simplify(name))}


def _is_common_word(plain: str) -> bool:
    """Returns whether the only letters are those of a common word, also with look-alikes such as 3 for e."""
    text = plain.translate(_LOOK_ALIKES)
    for word in _WORDS:
        start = text.find(word)
        if start >= 0 and not re.search(r"[^\W\d_]", plain[:start] + plain[start + len(word) :]):
            return True
    return False


def _list_words(name: str) -> set[str]:
    local, _, domain = name.partition("@")
    words = [*re.split(r"[\W\d_]+", local), domain.partition(".")[0], _join(local), _join(name)]
    whole = [_strip(_join(text)) for text in (local, name)]
    return {word for word in (*words, *whole) if len(word) >= _MIN_WORD_LENGTH}


def _join(text: str) -> str:
    """Removes spaces and signs."""
    return re.sub(r"[\W_]", "", text)


def _simplify(text: str) -> str:
    """Returns the text in lower case without accents. Of the few characters that stand for a whole phrase, a
    password or name could have many; what they make longer than any name is cut.
    """
    decomposed = unicodedata.normalize("NFKD", text)[:_LONGEST].lower()
    return "".join(character for character in decomposed if not unicodedata.combining(character))


def _strip(plain: str) -> str:
    """Removes digits and signs at both ends."""
    core = _FROM_LETTER_TO_LETTER.search(plain)
    return core[0] if core else ""


@cache
def _load_common_passwords() -> frozenset[str]:
    """Loads the 30,000 most common passwords of leaked lists. Takes 0.1 s and 14 MB at the first use."""
    from zxcvbn.frequency_lists import FREQUENCY_LISTS

    return frozenset(FREQUENCY_LISTS["passwords"])


@cache
def _list_keyboard_runs() -> frozenset[str]:
    """Returns neighbors on the keyboard and in the alphabet, in both directions."""
    rows = ("1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm", "abcdefghijklmnopqrstuvwxyz")
    return frozenset(
        line[start : start + length]
        for row in rows
        for line in (row * 3, row[::-1] * 3)
        for length in range(8, 21)
        for start in range(len(row))
    )
