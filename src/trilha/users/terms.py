"""What was typed, in the form of the table `user_words`, whose ranges answer it."""

import unicodedata
from collections.abc import Sequence

MOST_TERMS = 6
# Sorts after every character that a word may go on with.
_LAST = "\U0010ffff"


def search_text(text: str) -> str:
    """Lower case, without accents: what the database's function of this name makes of it."""
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).lower())
    return "".join(each for each in plain if not "\u0300" <= each <= "\u036f")


def terms_of(typed: str) -> list[str]:
    """The words that are looked for, the longest first."""
    return sorted(set(search_text(typed).split()[:MOST_TERMS]), key=lambda term: (-len(term), term))


def ranges_of(terms: Sequence[str]) -> dict[str, str]:
    """Parameters: of the nth term `term_n` and `end_n`, between which are the words that begin so."""
    ranges: dict[str, str] = {}
    for number, term in enumerate(terms):
        ranges |= {f"term_{number}": term, f"end_{number}": term + _LAST}
    return ranges
