"""The two built-in designs of a certificate, as Typst sources, and the fonts that they are set in.

Text is in Libertinus Serif, which Typst brings along, or in Inter; other scripts and emoji fall back to Noto.
What no font here has is shown as a box: a name never keeps a certificate from being made. The fonts come from
packages, all under the SIL Open Font License.
"""

from importlib.resources import files
from pathlib import Path

FOLDER = Path(__file__).parent
SOURCES = ("certificate.typ", "common.typ", "fonts.typ", "classic.typ", "modern.typ", "glyphs.typ")
_PACKAGES = FOLDER / "node_modules"
_FROM_PACKAGES = (
    "@embedpdf/fonts-arabic/fonts",
    "@expo-google-fonts/inter/400Regular",
    "@expo-google-fonts/inter/600SemiBold",
    "@expo-google-fonts/inter/700Bold",
    "@expo-google-fonts/noto-emoji/400Regular",
)


def font_folders() -> list[Path]:
    """Where fonts lie beside those that Typst brings along."""
    return [*(_PACKAGES / each for each in _FROM_PACKAGES), Path(str(files("noto_cjk_sans_otc")))]
