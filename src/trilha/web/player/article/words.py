"""The words of a lesson that depend on the reader's language, and what its page may load."""

from collections.abc import Mapping

from markupsafe import Markup

from trilha.kit import N_, Page, translate
from trilha.training.courses.lessons.rendering import fill_words

WORDS: Mapping[str, str] = {
    "info": N_("Note"),
    "warning": N_("Warning"),
    "success": N_("Tip"),
    "check": N_("Check answer"),
    "question": N_("Check what you learned"),
    "select_all": N_("Select all that apply."),
    "right": N_("Correct."),
    "wrong": N_("Not quite. Look at the marked answers."),
    "right_option": N_("right answer"),
    "play": N_("Play video"),
    "youtube": N_("This video is on YouTube. Playing it sends data to Google."),
    "vimeo": N_("This video is on Vimeo. Playing it sends data to Vimeo."),
    "file": N_("File"),
}
# The players of videos on other sites, as a page may frame them.
PLAYERS: Mapping[str, str] = {
    "youtube": "https://www.youtube-nocookie.com",
    "vimeo": "https://player.vimeo.com",
}


def fill(html: Markup, page: Page) -> Markup:
    """Returns a lesson's HTML with the words in the page's language."""
    words = {name: translate(page, text) for name, text in WORDS.items()}
    return Markup(fill_words(html, words))  # noqa: S704 - the author's HTML is escaped


def list_players(html: str) -> list[str]:
    """Returns the origins that the videos of a lesson need."""
    return [origin for name, origin in PLAYERS.items() if f' data-provider="{name}"' in html]
